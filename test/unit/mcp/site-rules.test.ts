import { expect, test } from 'vitest';
import type { ToolInfo, ToolResult } from '#protocol/browser.ts';
import type { SiteRule } from '#protocol/sites.ts';
import { readCall } from '#companion/browser/read-call.ts';
import { nullLog } from '#companion/lib/log.ts';
import { ToolCaller } from '#companion/mcp/caller.ts';
import { tools } from '#extension/tools/index.ts';
import { admission, comer, createAdmissions, createSiteBook } from '#test/fixtures/admission.ts';
import { aCallId, aTab, createBridgeDouble, createGrantsDouble, createSessionsDouble } from '#test/unit/server/room-doubles.ts';

const SITE = 'https://shop.example';

/** Something that fits a schema, with an address of the site where one is wanted. */
const sampleOf = (schema: Record<string, unknown>): unknown => {
  const { type, enum: choices, anyOf, const: only, format, items, properties = {}, required = [] } = schema as Shape;
  if (only !== undefined) return only;
  if (choices !== undefined) return choices[0];
  if (anyOf?.[0] !== undefined) return sampleOf(anyOf[0]);
  if (type === 'array') return [sampleOf(items ?? { type: 'string' })];
  if (type === 'object') return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
  if (type === 'number' || type === 'integer') return 1;
  return type === 'boolean' ? true : format === 'uri' ? `${SITE}/cart` : 'x';
};

interface Shape {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Record<string, unknown>[];
  readonly const?: unknown;
  readonly format?: string;
  readonly items?: Record<string, unknown>;
  readonly properties?: Record<string, Record<string, unknown>>;
  readonly required?: readonly string[];
}

const argumentsOf = ({ name, inputSchema }: ToolInfo): Record<string, unknown> => ({
  ...(sampleOf(inputSchema) as Record<string, unknown>),
  ...(name === 'browser_navigate' ? { url: `${SITE}/cart` } : {}),
});

/** What becomes of a call on a page of the site, when the person says yes to every question. */
const callOn = async (rule: SiteRule | null, { info }: { info: ToolInfo }): Promise<{ text: string; ran: boolean; asked: number }> => {
  const bridge = createBridgeDouble();
  bridge.setTools([info]);
  bridge.setTab({ ...aTab, origin: SITE, url: `${SITE}/cart` });
  const sessions = createSessionsDouble();
  const sites = createSiteBook();
  if (rule !== null) sites.set(SITE, rule);
  let asked = 0;
  sessions.onAsk(() => {
    asked += 1;
    return Promise.resolve({ optionId: 'once' });
  });
  const caller = new ToolCaller({
    bridge,
    sessions,
    grants: createGrantsDouble(),
    sites,
    admissions: createAdmissions({ editor: admission('editor', { kind: 'client', name: 'Editor' }) }).admissions,
    files: { read: () => Promise.resolve([]) },
    port: () => 1,
    log: nullLog,
  });
  const result: ToolResult = await caller.call({
    sessionId: sessions.create(),
    callId: aCallId,
    name: info.name,
    args: argumentsOf(info),
    signal: new AbortController().signal,
    onProgress: () => {},
    comer: () => comer('editor', { kind: 'client', name: 'Editor' }),
  });
  return { text: String(result.content[0]?.['text']), ran: bridge.calls.length > 0, asked };
};

/** These stand for other calls, each of which is decided by itself, or ask for sites that they name. */
const OTHERWISE = new Set(['browser_batch', 'browser_ask_sites']);
const walked = tools.filter(({ name }) => !OTHERWISE.has(name));

test('every tool runs on a site about which nothing was said, once the person agrees', async () => {
  for (const tool of walked) expect([tool.name, await callOn(null, tool)]).toMatchObject([tool.name, { ran: true }]);
});

test('no tool reaches a closed site; what only leaves a page, or changes its tab, still may', async () => {
  for (const tool of walked) {
    const { toolClass, address } = readCall(tool.info, argumentsOf(tool.info));
    const { text, ran, asked } = await callOn('never', tool);

    const isLeaving = toolClass === 'navigate' && address === null;
    expect([tool.name, ran, /^SITE_NOT_ALLOWED: .*closed to agents/.test(text)]).toEqual([tool.name, isLeaving, !isLeaving]);
    if (!isLeaving) expect([tool.name, asked]).toEqual([tool.name, 0]);
  }
});

test('on a site that is only to be read every tool looks and navigates, and none does more', async () => {
  for (const tool of walked) {
    const { toolClass } = readCall(tool.info, argumentsOf(tool.info));
    const { text, ran } = await callOn('read_only', tool);

    const onlyLooks = toolClass === 'read' || toolClass === 'navigate';
    expect([tool.name, ran, /^SITE_NOT_ALLOWED: .*only to be read/.test(text)]).toEqual([tool.name, onlyLooks, !onlyLooks]);
  }
});

test('a site that is asked for each time is asked for by every tool that opens an address there', async () => {
  for (const tool of walked) {
    const { address } = readCall(tool.info, argumentsOf(tool.info));
    const { asked, ran } = await callOn('ask', tool);
    const usual = await callOn(null, tool);

    expect([tool.name, ran, asked]).toEqual([tool.name, true, usual.asked + (address === null ? 0 : 1)]);
  }
});
