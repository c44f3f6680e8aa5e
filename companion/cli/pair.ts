/** `pilotfish browsers pair`: lets one browser that is elsewhere come, and has the person compare the code. */
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fromErrorBody } from '#protocol/errors.ts';
import type { PairingState } from '#protocol/remote.ts';
import { plainText } from '#display/plain-text.ts';
import type { Io } from './io.ts';

const LOOK_MS = 300;

/** Resolves with the exit code once the browser is paired; rejects with why it is not. */
export const pairBrowser = async (io: Io, { address, isJson }: { address: string | undefined; isJson: boolean }): Promise<number> => {
  await io.client.connect({ start: true, signal: io.signal });
  const { port } = await io.client.status();
  let state = await io.client.pairing.open(address);
  io.note('A browser may come for five minutes. In it, open the settings of Pilotfish, "Connection", and press "Pair" with the address');
  io.note(
    `  ${address ?? `ws://127.0.0.1:${port ?? 'PORT'}`}${address === undefined ? '   (or the end of a tunnel to this port: ws://127.0.0.1:ITS-PORT)' : ''}`,
  );
  let asked = '';
  for (;;) {
    if (state.state === 'asked' && !state.hasAnswered && state.code !== asked) {
      asked = state.code;
      state = await compare(io, state);
      continue;
    }
    if (state.state === 'paired') {
      if (isJson) io.json(state);
      else io.print(`Paired with "${state.name}". \`pilotfish browsers revoke ${state.admissionId}\` takes it back.`);
      return 0;
    }
    if (state.state === 'failed') throw fromErrorBody(state.error);
    if (state.state === 'closed')
      throw fromErrorBody({
        code: 'PAIRING_CLOSED',
        message: 'No browser was paired in time.',
        remedy: 'Run `pilotfish browsers pair` again.',
      });
    if (state.state === 'open') asked = '';
    await pause(LOOK_MS, undefined, { signal: io.signal });
    state = await io.client.pairing.read();
  }
};

const compare = async (io: Io, { name, code }: Extract<PairingState, { state: 'asked' }>): Promise<PairingState> => {
  io.note(`"${name}" wants to be paired. Its code is`);
  io.note(`  ${code}`);
  const reader = createInterface({ input: io.stdin, output: io.stderr });
  const ended = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
  try {
    const question = io.isInteractive ? 'Does the browser show the same code? [y/N] ' : 'Type the code that the browser shows: ';
    const reply = (await Promise.race([reader.question(plainText(question), { signal: io.signal }), ended])).trim().toLowerCase();
    const isSame = reply.replaceAll(' ', '') === code.replace(' ', '') || (io.isInteractive && ['y', 'yes'].includes(reply));
    const state = await io.client.pairing.answer(code, isSame);
    if (isSame && state.state === 'asked') io.note('Now confirm it in the browser.');
    return state;
  } finally {
    reader.close();
  }
};
