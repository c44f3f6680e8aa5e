import { describe, expect, test } from 'vitest';
import { moveBy, moveTo } from '#extension/options/order.ts';

const names = ['claude', 'codex', 'goose'];

describe('the order of agents', () => {
  test('changes by one step, and not beyond its ends', () => {
    expect(moveBy(names, 'codex', -1)).toEqual(['codex', 'claude', 'goose']);
    expect(moveBy(names, 'codex', 1)).toEqual(['claude', 'goose', 'codex']);
    expect(moveBy(names, 'claude', -1)).toEqual(names);
    expect(moveBy(names, 'goose', 1)).toEqual(names);
  });

  test('changes by dragging one to the place of another', () => {
    expect(moveTo(names, 'claude', 'goose')).toEqual(['codex', 'goose', 'claude']);
    expect(moveTo(names, 'goose', 'claude')).toEqual(['goose', 'claude', 'codex']);
    expect(moveTo(names, 'nobody', 'claude')).toEqual(names);
  });
});
