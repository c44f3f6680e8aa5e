import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, vi } from 'vitest';
import { Proofs } from '#companion/proof/proofs.ts';
import { CompanionError } from '#protocol/errors.ts';
import { BrowserId, type SessionId, TurnId } from '#protocol/ids.ts';
import type { LookAgainParams, LookedAgain } from '#protocol/link.ts';
import { attachmentsOf, type SessionView } from '#protocol/view.ts';
import { until } from '#test/fixtures/until.ts';
import { isIdle, type Stage, test as base } from '#test/unit/sessions/stage.ts';

const JPEG = { mimeType: 'image/jpeg', dataBase64: '/9j/' } as const;
const browserId = BrowserId.parse('b1');
const mark = { ref: 3, selector: '#go', role: 'button', name: 'Go', looks: 'a.b' };
const element = { tabId: 7, url: 'http://localhost:5173/x', documentId: 'D1', mark, element: 'button Go', before: JPEG };
const updated: LookedAgain = { outcome: 'updated', elements: [{ isThere: true, picture: JPEG }] };
const unchanged: LookedAgain = { outcome: 'unchanged', elements: [{ isThere: true, picture: JPEG }] };

interface Desk {
  readonly stage: Stage;
  readonly proofs: Proofs;
  /** What the browser, a stand-in for the bridge, was asked, and what it says. */
  readonly asked: LookAgainParams[];
  seen: LookedAgain | Error;
  /** The attachments that are kept. */
  files(): number;
  noted(view: SessionView): unknown[];
}

const test = base.extend<{ desk: Desk }>({
  desk: async ({ stage }, use) => {
    const asked: LookAgainParams[] = [];
    const lookAgain = (_: BrowserId, params: LookAgainParams): Promise<LookedAgain> => {
      asked.push(params);
      return desk.seen instanceof Error ? Promise.reject(desk.seen) : Promise.resolve(desk.seen);
    };
    const desk: Desk = {
      stage,
      proofs: new Proofs({ sessions: stage.sessions, bridge: { lookAgain }, log: stage.log }),
      asked,
      seen: updated,
      files: () =>
        existsSync(stage.paths.attachmentsDir) ? readdirSync(stage.paths.attachmentsDir).filter((name) => name !== 'uploads').length : 0,
      noted: ({ items }) => items.flatMap(({ body }) => (body.kind === 'notice' && body.proof !== undefined ? [body] : [])),
    };
    await use(desk);
    desk.proofs.close();
  },
});

/** A turn that runs until the person answers, with something picked for it. */
const beginPicked = async ({ stage, proofs }: Desk, more = {}): Promise<{ sessionId: SessionId; turnId: TurnId }> => {
  const sessionId = await stage.create();
  const turnId = TurnId.parse(await stage.send(sessionId, 'ask'));
  await stage.until(sessionId, (view) => view.requests.length === 1);
  proofs.keep({ sessionId, turnId, browserId, elements: [{ ...element, ...more }] });
  return { sessionId, turnId };
};

const end = async ({ stage }: Desk, sessionId: SessionId): Promise<void> => {
  await stage.answer(sessionId, stage.sessions.view(sessionId).requests[0]?.request.options[0]?.optionId ?? '');
  await stage.until(sessionId, isIdle);
};

describe('what was picked for a turn', () => {
  test('is looked at when the turn is over, and stands in it before and after, as attachments that go with the session', async ({
    desk,
  }) => {
    const { stage, asked, noted, files } = desk;
    desk.seen = { ...updated, outcome: 'reloaded', buildError: 'Unexpected token' };
    const { sessionId, turnId } = await beginPicked(desk);
    const askedBefore = asked.length;

    await end(desk, sessionId);
    const view = await stage.until(sessionId, (seen) => noted(seen).length === 1 && seen.items.at(-1)?.status === 'completed');

    expect(askedBefore).toBe(0);
    expect(asked).toEqual([{ tabId: 7, documentId: 'D1', url: element.url, elements: [mark] }]);
    expect(view.items.at(-1)).toMatchObject({
      turnId,
      status: 'completed',
      body: {
        kind: 'notice',
        level: 'warning',
        text: 'After the changes, localhost:5173 shows a build error.',
        saying: { code: 'page_broken' },
        proof: { url: element.url, outcome: 'reloaded', buildError: 'Unexpected token', pairs: [{ element: 'button Go', isThere: true }] },
      },
    });
    const kept = attachmentsOf(view);
    expect(kept.map((ref) => stage.store.attachments.load(ref).dataBase64)).toEqual([JPEG.dataBase64, JPEG.dataBase64]);
    expect(stage.store.attached.list()).toHaveLength(2);
    const fork = await stage.sessions.dispatch({ type: 'session.fork', sessionId });
    expect(attachmentsOf(stage.sessions.view(fork.sessionId)).map((ref) => stage.store.attachments.has(ref))).toEqual([true, true]);
    await stage.sessions.dispatch({ type: 'session.delete', sessionId, isForever: true });
    expect(files()).toBe(2);
  });

  test('is looked at in the page and in each frame of it by itself', async ({ desk }) => {
    const { stage, proofs, asked, noted } = desk;
    const frame = { frameId: 4, documentId: 'D2', url: 'http://localhost:6006/story' };
    const { sessionId, turnId } = await beginPicked(desk);
    proofs.keep({ sessionId, turnId, browserId, elements: [{ ...element, frame }] });

    await end(desk, sessionId);
    await stage.until(sessionId, (seen) => noted(seen).length === 2);

    const page = { tabId: 7, documentId: 'D1', url: element.url, elements: [mark] };
    expect(asked).toEqual([page, { ...page, frame }]);
  });

  test('is looked at after an edit below the folder of the session only', async ({ desk }) => {
    const { stage, proofs, asked } = desk;
    const outside = path.join(stage.home, 'elsewhere');
    const root = stage.paths.defaultWorkspace;
    mkdirSync(outside);
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say nothing');
    writeFileSync(path.join(root, 'index.html'), '');
    symlinkSync(root, path.join(outside, 'link'));
    for (const [file, count] of [
      [path.join(outside, 'notes.md'), 0],
      [`${root}-other/index.html`, 0],
      ['../index.html', 0],
      ['index.html', 1],
      [path.join(root, 'gone', 'deep.css'), 2],
      [path.join(outside, 'link', 'index.html'), 3],
    ] as const) {
      const { turns } = await stage.turn(sessionId, `edit ${file}`);
      proofs.keep({ sessionId, turnId: turns.at(-1)?.turnId ?? TurnId.parse('none'), browserId, elements: [element] });
      await until(() => asked.length === count, { what: `the browser to be asked after a change of ${file}` });
    }
  });

  test('is told of after an edit also when nothing is different, and after a command only when something is', async ({ desk }) => {
    const { stage, proofs, noted, asked } = desk;
    desk.seen = unchanged;
    const sessionId = await stage.create();
    for (const [text, count] of [
      ['say nothing', 0],
      ['tool 1', 1],
      ['edit index.html', 2],
    ] as const) {
      const { turns } = await stage.turn(sessionId, text);
      proofs.keep({ sessionId, turnId: turns.at(-1)?.turnId ?? TurnId.parse('none'), browserId, elements: [element] });
      await until(() => asked.length === count, { what: 'the browser to be asked' });
    }
    const view = await stage.until(sessionId, (seen) => noted(seen).length > 0);

    expect(noted(view)).toHaveLength(1);
    expect(view.items.at(-1)).toMatchObject({ turnId: view.turns.at(-1)?.turnId, body: { saying: { code: 'page_unchanged' } } });
  });

  test('leaves nothing where the browser has gone or the next turn has begun', async ({ desk }) => {
    const { stage, proofs, noted, files } = desk;
    const warned = vi.spyOn(stage.log, 'info');
    const sessionId = await stage.create();
    const { turns } = await stage.turn(sessionId, 'edit index.html');
    const [first] = turns;
    await stage.turn(sessionId, 'say more');
    const turnId = first?.turnId ?? TurnId.parse('none');

    proofs.keep({ sessionId, turnId, browserId, elements: [element] });
    desk.seen = new CompanionError('BROWSER_NOT_CONNECTED');
    proofs.keep({ sessionId, turnId, browserId, elements: [element] });

    await until(() => warned.mock.calls.some(([event]) => event === 'proof.not_taken'), { what: 'the failure to be logged' });
    expect(noted(stage.sessions.view(sessionId))).toEqual([]);
    expect(files()).toBe(0);
  });

  test('is refused of a page elsewhere, a turn that there is not, and from who is no browser', async ({ desk }) => {
    const { stage, proofs } = desk;
    const { sessionId, turnId } = await beginPicked(desk);
    const codeOf = (given: Partial<Parameters<Proofs['keep']>[0]>): string => {
      try {
        proofs.keep({ sessionId, turnId, browserId, elements: [element], ...given });
        return 'taken';
      } catch (error) {
        return error instanceof CompanionError ? error.code : String(error);
      }
    };

    expect(codeOf({ elements: [{ ...element, url: 'https://shop.example/' }] })).toBe('INPUT_INVALID');
    expect(codeOf({ turnId: TurnId.parse('none') })).toBe('TURN_NOT_FOUND');
    expect(codeOf({ browserId: null })).toBe('FORBIDDEN');
    expect(codeOf({ browserId: null, turnId: TurnId.parse('none') })).toBe('TURN_NOT_FOUND');
    await end(desk, sessionId);
    await stage.sessions.dispatch({ type: 'session.delete', sessionId });
    expect(codeOf({})).toBe('SESSION_NOT_FOUND');
  });
});
