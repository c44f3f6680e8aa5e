/** The one place where it is decided what a command, a report of the agent or the time means for a session as it stands. Pure. */
import { decideCommand } from './decide-command.ts';
import { decideReport } from './decide-report.ts';
import { openRequest, withdrawRequest } from './decide-request.ts';
import {
  beginQueuedTurn,
  forceEnd,
  hasSpoken,
  promptIsReady,
  runFailed,
  runHasEnded,
  stopTurn,
  tellOfSilence,
  tellOfTimeout,
  turnIsTooLong,
} from './decide-turn.ts';
import { type Decision, type Facts, type Input, nothing, type SessionState, told } from './decision.ts';

/** Throws a CompanionError when a command cannot be carried out. */
export const decide = (state: SessionState, input: Input, facts: Facts): Decision => {
  switch (input.type) {
    case 'command':
      return decideCommand(state, input.command, input.attachments, facts);
    case 'report':
      return decideReport(state, input.report, facts);
    case 'run.starting':
      return told(state, { type: 'run.changed', state: 'starting' });
    case 'run.ready':
      return promptIsReady(state, input.turnId, facts);
    case 'run.failed':
      return runFailed(state, input, facts);
    case 'run.spoke':
      return hasSpoken(state);
    case 'run.ended':
      return runHasEnded(state, input, facts);
    case 'watch.quiet':
      return tellOfSilence(state, input);
    case 'watch.hung':
      return tellOfTimeout(state, facts);
    case 'watch.overtime':
      return turnIsTooLong(state, input.limitMs, facts);
    case 'timer':
      return input.timer === 'grace' ? forceEnd(state, facts) : { ...nothing(state), work: { ...state.work, mustRest: false } };
    case 'queue.next':
      return beginQueuedTurn(state, facts);
    case 'ask':
      return told(state, openRequest(state, input.requestId, input.request));
    case 'ask.withdrawn':
      return withdrawRequest(state, input.requestId, 'the call was cancelled');
    case 'stop':
      return stopTurn(state, input.outcome, facts);
  }
};
