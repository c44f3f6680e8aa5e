/** Branded ids: a session id cannot be passed where a turn id is wanted. Made by `lib/random-id.ts`, ≥ 128 bit. */
import * as z from 'zod';

const id = z.string().min(1).max(200);

export const ProjectId = id.brand<'ProjectId'>();
export type ProjectId = z.infer<typeof ProjectId>;

export const SessionId = id.brand<'SessionId'>();
export type SessionId = z.infer<typeof SessionId>;

/** The same as parsing it, for a list of many thousands: there the schema takes as long as reading them. */
export const isSessionId = (value: unknown): value is SessionId => typeof value === 'string' && value.length > 0 && value.length <= 200;

/** Whether an id that a client made up may name a session or a project: it stands in addresses, logs and command lines. */
export const isChosenId = (id: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(id);

/** What is said of an id that may not. */
export const CHOSEN_ID = 'only letters, digits, ".", "_", ":" and "-", 128 at most.';

/** The same of the id of a session. */
export const CHOSEN_SESSION_ID = `sessionId: ${CHOSEN_ID}`;

export const TurnId = id.brand<'TurnId'>();
export type TurnId = z.infer<typeof TurnId>;

export const ItemId = id.brand<'ItemId'>();
export type ItemId = z.infer<typeof ItemId>;

export const RequestId = id.brand<'RequestId'>();
export type RequestId = z.infer<typeof RequestId>;

/** One browser profile with the extension: random, made once per profile by the extension. */
export const BrowserId = id.brand<'BrowserId'>();
export type BrowserId = z.infer<typeof BrowserId>;

/** One tool call through the link; a call with an id that has run is never run again. */
export const CallId = id.brand<'CallId'>();
export type CallId = z.infer<typeof CallId>;

export const AttachmentId = id.brand<'AttachmentId'>();
export type AttachmentId = z.infer<typeof AttachmentId>;
