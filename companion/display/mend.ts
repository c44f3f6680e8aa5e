/** The one thing that mends an error, where a front end can offer it as a button. */
import type { ErrorCode } from '#protocol/errors.ts';

export type Mend = 'log_in' | 'choose_model' | 'new_session' | 'raise_limit' | 'set_up' | 'choose_folder' | 'edit' | 'retry';

const mends: Readonly<Partial<Record<ErrorCode, Mend>>> = {
  ENGINE_NOT_LOGGED_IN: 'log_in',
  ENGINE_NOT_FOUND: 'set_up',
  ENGINE_SERVER_NOT_FOUND: 'set_up',
  ENGINE_TOO_OLD: 'set_up',
  ENGINE_MODEL_UNKNOWN: 'choose_model',
  ENGINE_CONTEXT_FULL: 'new_session',
  ENGINE_BUDGET_REACHED: 'raise_limit',
  ENGINE_TURN_TOO_LONG: 'raise_limit',
  ENGINE_REFUSED: 'edit',
  WORKSPACE_NOT_FOUND: 'choose_folder',
};

/** What is sent again mends everything that passes. */
export const mendOf = (code: ErrorCode): Mend => mends[code] ?? 'retry';
