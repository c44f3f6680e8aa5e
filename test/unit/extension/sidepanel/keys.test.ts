import { describe, expect, test } from 'vitest';
import { Escapes } from '#extension/sidepanel/escapes.ts';
import { composerAction, enterWith, type ComposerKey, type ComposerSituation } from '#extension/sidepanel/composer-keys.ts';

const press = (change: Partial<ComposerKey>): ComposerKey => ({
  key: 'Enter',
  keyCode: 13,
  isComposing: false,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...change,
});

const idle: ComposerSituation = { enter: 'send', isRunning: false, canSteer: true, isEmpty: false, isRecalling: false };
const running: ComposerSituation = { ...idle, isRunning: true };

describe('keys in the composer', () => {
  test.each<[string, Partial<ComposerKey>, ComposerSituation, string]>([
    ['Enter sends', {}, idle, 'send'],
    ['Shift+Enter is a new line', { shiftKey: true }, idle, 'none'],
    ['Alt+Enter is left to the field', { altKey: true }, idle, 'none'],
    ['Ctrl+Enter sends when nothing runs', { ctrlKey: true }, idle, 'send'],
    ['Enter queues while a turn runs', {}, running, 'queue'],
    ['Ctrl+Enter steers where the engine can', { ctrlKey: true }, running, 'steer'],
    ['Cmd+Enter steers as well', { metaKey: true }, running, 'steer'],
    ['Ctrl+Enter queues where the engine cannot steer', { ctrlKey: true }, { ...running, canSteer: false }, 'queue'],
    ['Enter on nothing does nothing', {}, { ...idle, isEmpty: true }, 'ignore'],
    ['where Enter makes a line, it is left to the field', {}, { ...running, enter: 'line' }, 'none'],
    ['where Enter makes a line, Ctrl+Enter sends', { ctrlKey: true }, { ...idle, enter: 'line' }, 'send'],
    ['where Enter makes a line, Cmd+Enter queues', { metaKey: true }, { ...running, enter: 'line' }, 'queue'],
    ['where Enter makes a line, Ctrl+Shift+Enter steers', { ctrlKey: true, shiftKey: true }, { ...running, enter: 'line' }, 'steer'],
    ['Escape stops a running turn', { key: 'Escape', keyCode: 27 }, running, 'stop'],
    ['Escape is left alone when nothing runs', { key: 'Escape', keyCode: 27 }, idle, 'none'],
    ['the up arrow brings a prompt of before into an empty field', { key: 'ArrowUp', keyCode: 38 }, { ...idle, isEmpty: true }, 'older'],
    ['the up arrow goes on from a prompt of before', { key: 'ArrowUp', keyCode: 38 }, { ...idle, isRecalling: true }, 'older'],
    ['the down arrow goes back', { key: 'ArrowDown', keyCode: 40 }, { ...idle, isRecalling: true }, 'newer'],
    ['the down arrow moves in a written text', { key: 'ArrowDown', keyCode: 40 }, idle, 'none'],
    ['the up arrow moves in a written one', { key: 'ArrowUp', keyCode: 38 }, idle, 'none'],
    ['Shift+up selects', { key: 'ArrowUp', keyCode: 38, shiftKey: true }, { ...idle, isEmpty: true }, 'none'],
    ['a letter is a letter', { key: 'y', keyCode: 89 }, running, 'none'],
  ])('%s', (_, key, situation, action) => {
    expect(composerAction(press(key), situation)).toBe(action);
  });

  test('Enter sends a single line, and makes one more of several where that is chosen', () => {
    expect([enterWith('high tide', 'lines'), enterWith('high\ntide', 'lines')]).toEqual(['send', 'line']);
    expect([enterWith('high\ntide', 'send'), enterWith('high tide', 'line')]).toEqual(['send', 'line']);
  });

  test('an input method keeps all its keys', () => {
    for (const key of ['Enter', 'Escape', 'ArrowUp']) {
      for (const situation of [idle, running, { ...idle, isEmpty: true }]) {
        expect(composerAction(press({ key, isComposing: true }), situation)).toBe('none');
        expect(composerAction(press({ key, keyCode: 229 }), situation)).toBe('none');
      }
    }
  });
});

describe('Escape', () => {
  const working = { isWaiting: false, isRunning: true };

  test('leads to the card that waits, stops what runs, and otherwise does nothing', () => {
    const escapes = new Escapes();

    expect(escapes.press({ isWaiting: true, isRunning: true }, 0)).toBe('card');
    expect(escapes.press(working, 0)).toBe('stop');
    expect(escapes.press({ isWaiting: false, isRunning: false }, 0)).toBe('nothing');
  });

  test('where a card has just gone, stops only when it is pressed again', () => {
    const escapes = new Escapes();
    escapes.cardGone(1000);

    expect(escapes.press(working, 3000)).toBe('again');
    expect(escapes.press(working, 3100)).toBe('stop');
  });

  test('stops at once again after a while, and after anything else was done', () => {
    const escapes = new Escapes();
    escapes.cardGone(1000);
    expect(escapes.press(working, 11_000)).toBe('stop');

    escapes.cardGone(1000);
    escapes.goOn();
    expect(escapes.press(working, 1100)).toBe('stop');
  });
});
