import { keyedOptions } from '#display/request-options.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import type { SessionDetail, SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { findSession } from './find-session.ts';
import type { Io } from './io.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

type OpenRequest = SessionDetail['requests'][number];

/** `pilotfish approve` */
export const approve: Subcommand = {
  name: 'approve',
  summary: 'what waits for an answer, and answering it',
  usage: [
    '[SESSION [REQUEST] [--deny [--reason TEXT] | --option ID]] [--json]',
    'SESSION        its id, the beginning of it, or its name; without one, everything that waits is listed',
    'REQUEST        its id, when the session has several',
    '--deny         refuse; otherwise it is allowed once',
    '--reason TEXT  why, which the agent reads',
    '--option ID    another of its answers, as the list names them',
    '--json         print what waits, or what was answered, as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(
      args,
      { deny: { type: 'boolean' }, reason: { type: 'string' }, option: { type: 'string' }, json: { type: 'boolean' } },
      { most: 2 },
    );
    if (values.deny === true && values.option !== undefined)
      throw new CompanionError('CLI_USAGE', '--deny and --option exclude each other.');
    if (values.reason !== undefined && values.deny !== true) throw new CompanionError('CLI_USAGE', '--reason needs --deny.');
    await io.client.connect({ start: true, signal: io.signal });
    const sessions = await io.client.sessions.list();
    const [wanted, requestId] = positionals;
    if (wanted === undefined) {
      if (values.deny === true || values.option !== undefined)
        throw new CompanionError('CLI_USAGE', 'Name the session whose request is answered.');
      return listWaiting(io, sessions, values.json === true);
    }
    const { id } = findSession(sessions, wanted);
    const open = pickRequest((await io.client.sessions.read(id)).requests, requestId);
    const answer = answerOf(open.request, values);
    await io.client.answer(id, open.requestId, answer);
    if (values.json === true) io.json({ sessionId: id, requestId: open.requestId, answer });
    else
      io.line(
        `${open.request.options.find(({ optionId }) => optionId === answer.optionId)?.label ?? answer.optionId}: ${open.request.title}`,
      );
    return 0;
  },
};

const listWaiting = async (io: Io, sessions: readonly SessionSummary[], isJson: boolean): Promise<number> => {
  const waiting = await Promise.all(
    sessions
      .filter(({ openRequests }) => openRequests > 0)
      .map(async ({ id }) => ({ sessionId: id, requests: (await io.client.sessions.read(id)).requests })),
  );
  if (isJson) io.json({ waiting });
  else if (waiting.length === 0) io.print('Nothing waits for an answer.');
  else
    for (const { sessionId, requests } of waiting) for (const open of requests) for (const line of describe(sessionId, open)) io.line(line);
  return 0;
};

const describe = (sessionId: string, { requestId, request }: OpenRequest): string[] => {
  const { title, where, detail, options } = request;
  return [
    toVisible(`${sessionId}  ${requestId}  ${title}${where === undefined ? '' : ` (${where})`}`),
    // A command is often its own title, and is then not repeated.
    ...(detail === undefined || detail.trim() === title.trim()
      ? []
      : toVisible(detail)
          .split('\n')
          .map((line) => `    ${line}`)),
    ...keyedOptions(options).map(({ option }) => toVisible(`  ${option.optionId}  ${option.label}`)),
  ];
};

const pickRequest = (open: readonly OpenRequest[], wanted: string | undefined): OpenRequest => {
  const found = wanted === undefined ? open : open.filter(({ requestId }) => requestId === wanted);
  const [only] = found;
  if (only === undefined) throw new CompanionError('REQUEST_RESOLVED', wanted === undefined ? 'Nothing waits there.' : `"${wanted}"`);
  if (found.length > 1) {
    throw new CompanionError('CLI_USAGE', `${found.length} requests wait there: ${found.map(({ requestId }) => requestId).join(', ')}.`);
  }
  return only;
};

/** The answer that allows least, the refusal, or the one that was named. */
const answerOf = (request: RequestBody, given: { deny?: boolean; reason?: string; option?: string }): RequestAnswer => {
  const { options, questions = [] } = request;
  if (given.deny !== true && questions.length > 0) {
    throw new CompanionError(
      'CLI_USAGE',
      'The agent asks a question in words; answer it in the side panel or in `pilotfish`, or use --deny.',
    );
  }
  const option =
    given.option !== undefined
      ? options.find(({ optionId }) => optionId === given.option)
      : given.deny === true
        ? options.find(({ kind }) => kind === 'reject')
        : options.find(({ kind }) => kind === 'allow_once');
  if (option === undefined) {
    const known = options.map(({ optionId, label }) => `${optionId} (${label})`).join(', ');
    throw new CompanionError('CLI_USAGE', `It has no such answer; choose one with --option: ${known}.`);
  }
  return { optionId: option.optionId, ...(given.reason === undefined ? {} : { text: given.reason }) };
};
