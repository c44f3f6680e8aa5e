/** What the person reads before a call runs: what and where, a line for each, so that no text of a page or an agent can pass for one of ours. Pure. */
import type { BrowserInfo, CallSubject } from '#protocol/browser.ts';
import type { RequestBody } from '#protocol/requests.ts';
import type { CallReading } from '#companion/browser/read-call.ts';
import type { Need } from '#companion/policy/policy.ts';
import { toOptions } from './consent.ts';

const MAX_LINE_CHARS = 2_000;

/** The card for a call. Without a page there is nothing that a yes could be remembered for, nor for a tool that may be another one tomorrow. */
export const toCallCard = (
  tool: string,
  reading: CallReading,
  { target, lines }: CallSubject,
  { origin, needs, isBuilt }: { origin: string | null; needs: readonly Need[]; isBuilt: boolean },
): RequestBody => {
  const isPersonsTab = needs.includes('tab');
  const where = origin ?? target?.origin ?? null;
  const warning = isBuilt ? [] : [line('Careful', 'This tool is not part of Pilotfish; the browser that brings it decides what it does.')];
  const page = target === null ? [] : [line('Page', target.title), line('Address', target.url)];
  const tab = isPersonsTab ? [line('Tab', 'your own; with "in this session" it is handed over')] : [];
  const detail = [
    ...warning,
    ...page,
    ...tab,
    line('The agent wants to', reading.title),
    ...lines.map(({ label, text }) => line(label, text)),
  ];
  const isAboutOrigin = needs.includes('origin') && origin !== null && isBuilt;
  return {
    kind: 'consent',
    title: isPersonsTab ? `${tool} in your own tab` : `${tool} on ${origin ?? 'the browser'}`,
    detail: detail.join('\n'),
    ...(where === null ? {} : { where }),
    options: toOptions({
      ...(isAboutOrigin || isPersonsTab ? { session: isAboutOrigin ? 'Allow here in this session' : 'Allow in this session' } : {}),
      ...(isAboutOrigin ? { always: 'Always allow here' } : {}),
    }),
  };
};

/** The card for a call that goes to another browser profile than its session's. */
export const toBrowserCard = (tool: string, reading: CallReading, { name, label }: BrowserInfo): RequestBody => ({
  kind: 'consent',
  title: `${tool} in another browser`,
  detail: [line('Browser', `${label} (${name})`), line('The agent wants to', reading.title)].join('\n'),
  where: label,
  options: toOptions({ session: 'Allow in this session' }),
});

const line = (label: string, text: string): string => `${label}: ${text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LINE_CHARS)}`;
