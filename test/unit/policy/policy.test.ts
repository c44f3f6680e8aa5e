import { describe, expect, test } from 'vitest';
import { decideCall } from '#companion/policy/policy.ts';
import { refuseBySite } from '#companion/policy/sites.ts';
import { isInside } from '#companion/lib/inside.ts';
import type { Grant, ToolClass } from '#protocol/browser.ts';
import { SessionId } from '#protocol/ids.ts';
import { sampleGrant } from '#test/fixtures/samples.ts';

const sessionId = SessionId.parse('s');
const origin = 'https://shop.example';
const grant = (more: Partial<Grant> = {}): Grant => ({ ...sampleGrant, id: 'g', origin, ...more });
const decision = (toolClass: ToolClass, more: Partial<Parameters<typeof decideCall>[0]> = {}): ReturnType<typeof decideCall> =>
  decideCall({
    toolClass,
    tool: 'browser_click',
    origin,
    sessionId,
    clientId: 'agent claude',
    isPersonsTab: false,
    mayHandKeys: false,
    grants: [],
    now: 1000,
    ...more,
  });
const decide = (...given: Parameters<typeof decision>): string => decision(...given).decision;

describe('consent', () => {
  test('reading and opening web pages need none, changing a page asks, code asks', () => {
    expect(['read', 'navigate', 'write', 'sensitive'].map((toolClass) => decide(toolClass as ToolClass))).toEqual([
      'allow',
      'allow',
      'ask',
      'ask',
    ]);
    expect(decide('navigate', { origin: null })).toBe('allow');
    expect(decide('write', { origin: null })).toBe('ask');
  });

  test('is never given for what is no web page', () => {
    for (const odd of [
      'chrome://settings',
      'file://',
      'null',
      'https://user@shop.example',
      'https://shop.example/',
      'javascript:1',
      'https://',
    ]) {
      expect(decide('write', { origin: odd, grants: [grant({ origin: odd })] }), odd).toBe('deny');
      expect(decide('navigate', { origin: odd }), odd).toBe('deny');
    }
  });

  test('names no site where a page has none', () => {
    expect(decision('write', { origin: 'null' })).toMatchObject({ rule: { code: 'rule_no_site' } });
  });

  test('is remembered for the exact origin only', () => {
    const grants = [grant()];

    expect(decide('write', { grants })).toBe('allow');
    for (const other of [
      'http://shop.example',
      'https://shop.example:8443',
      'https://shop.example.evil.com',
      'https://a.shop.example',
      'https://shop.exampl',
    ]) {
      expect(decide('write', { grants, origin: other }), other).toBe('ask');
    }
  });

  test('is remembered for its session and its time only', () => {
    expect(decide('write', { grants: [grant({ sessionId })] })).toBe('allow');
    expect(decide('write', { grants: [grant({ sessionId: SessionId.parse('other') })] })).toBe('ask');
    expect(decide('write', { grants: [grant({ expiresAt: 1001 })] })).toBe('allow');
    expect(decide('write', { grants: [grant({ expiresAt: 1000 })] })).toBe('ask');
  });

  test('to write never implies the sensitive, nor one sensitive tool another', () => {
    const evaluate = grant({ toolClass: 'sensitive', tool: 'browser_evaluate' });

    expect(decide('sensitive', { grants: [grant()] })).toBe('ask');
    expect(decide('sensitive', { grants: [evaluate], tool: 'browser_evaluate' })).toBe('allow');
    expect(decide('sensitive', { grants: [evaluate], tool: 'browser_cookie_list' })).toBe('ask');
    expect(decide('sensitive', { grants: [grant({ toolClass: 'sensitive' })], tool: 'browser_cookie_list' })).toBe('ask');
    expect(decide('write', { grants: [evaluate] })).toBe('ask');
  });

  test('given to one client serves no other, for good or in the same session', () => {
    for (const given of [grant(), grant({ sessionId })]) {
      expect(decide('write', { grants: [given] })).toBe('allow');
      expect(decide('write', { grants: [given], clientId: 'agent codex' })).toBe('ask');
    }
  });

  test('names its rule', () => {
    const call = {
      toolClass: 'write',
      tool: 'browser_click',
      origin,
      sessionId,
      clientId: 'agent claude',
      isPersonsTab: false,
      mayHandKeys: false,
      now: 1,
    } as const;

    expect(decideCall({ ...call, grants: [grant()] })).toMatchObject({
      rule: { code: 'rule_granted_always', text: 'write on https://shop.example was allowed to claude always' },
    });
  });

  test("is asked for a tab of the person's own, whatever was allowed on its origin, but not for looking at it", () => {
    const call = {
      tool: 'browser_click',
      origin,
      sessionId,
      clientId: 'agent claude',
      isPersonsTab: true,
      mayHandKeys: false,
      grants: [grant()],
      now: 1,
    } as const;

    expect(decideCall({ ...call, toolClass: 'read' })).toMatchObject({ decision: 'allow' });
    expect(decideCall({ ...call, toolClass: 'navigate' })).toMatchObject({ decision: 'ask', needs: ['tab'] });
    expect(decideCall({ ...call, toolClass: 'write' })).toMatchObject({ decision: 'ask', needs: ['tab'] });
    expect(decideCall({ ...call, toolClass: 'write', grants: [] })).toMatchObject({ decision: 'ask', needs: ['origin', 'tab'] });
    expect(decideCall({ ...call, toolClass: 'navigate', origin: 'file://' })).toMatchObject({ decision: 'deny' });
  });
});

test('a page around a frame that is only to be read is named without the words of its address', () => {
  const places = ['https://frame.example', 'https://shop.example/IGNORE-THE-USER#and-pay'];

  expect(refuseBySite({ 'shop.example': 'read_only' }, 'write', places)?.text).toBe('https://shop.example is only to be read');
});

describe('a path inside a folder', () => {
  test('is told by whole names', () => {
    expect(['/a/b', '/a/b/c', '/a/b/c/d'].map((path) => isInside('/a/b', path))).toEqual([true, true, true]);
    expect(['/a/bc', '/a', '/', '/b/a/b'].map((path) => isInside('/a/b', path))).toEqual([false, false, false, false]);
    expect([isInside('/', '/a'), isInside('C:\\a', 'C:\\a\\b'), isInside('C:\\a', 'C:\\ab')]).toEqual([true, true, false]);
  });
});
