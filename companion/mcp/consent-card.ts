/** What the person reads before a call runs: what and where, a line for each, so that no text of a page or an agent can pass for one of ours. Pure. */
import type { Admission } from '#protocol/admission.ts';
import type { BrowserInfo, CallSubject, GrantClient } from '#protocol/browser.ts';
import type { RequestBody } from '#protocol/requests.ts';
import type { CallReading } from '#companion/browser/read-call.ts';
import type { Need } from '#companion/policy/policy.ts';
import { toOptions } from './consent.ts';

const MAX_LINE_CHARS = 2_000;

/** A file that the call gives to the page. */
export interface CardFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly mayHoldKeys: boolean;
}

interface CardFacts {
  readonly origin: string | null;
  readonly needs: readonly Need[];
  readonly client: GrantClient;
  readonly isBuilt: boolean;
  readonly files: readonly CardFile[];
}

/**
 * The card for a call. Without a page there is nothing for which a permission could be remembered, nor for a tool that may be
 * another one tomorrow.
 */
export const toCallCard = (
  tool: string,
  reading: CallReading,
  { target, lines }: CallSubject,
  { origin, needs, client, isBuilt, files }: CardFacts,
): RequestBody => {
  const isPersonsTab = needs.includes('tab');
  const where = origin ?? target?.origin ?? null;
  const warning = isBuilt ? [] : [line('Careful', 'This tool is not part of Pilotfish; the browser that brings it decides what it does.')];
  const page = target === null ? [] : [line('Page', target.title), line('Address', target.url)];
  const tab = isPersonsTab ? [line('Tab', 'your own; with "in this session" it is handed over')] : [];
  const isAboutOrigin = needs.includes('origin') && origin !== null && isBuilt && !needs.includes('files');
  const canLast = (isAboutOrigin || isPersonsTab) && !needs.includes('files');
  const detail = [
    ...warning,
    ...page,
    ...tab,
    line('The agent wants to', reading.title),
    ...lines.map(({ label, text }) => line(label, text)),
    ...files.flatMap(toFileLines),
    line('For', isAboutOrigin ? `${client.name} only; "in this session" ends after a day, "always" after 90 days` : client.name),
  ];
  return {
    kind: 'consent',
    title: isPersonsTab ? `${tool} in your own tab` : `${tool} on ${origin ?? 'the browser'}`,
    detail: detail.join('\n'),
    ...(where === null ? {} : { where }),
    options: toOptions({
      ...(canLast ? { session: isAboutOrigin ? 'Allow here in this session' : 'Allow in this session' } : {}),
      ...(isAboutOrigin ? { always: 'Always allow here' } : {}),
    }),
  };
};

const toFileLines = ({ path, sizeBytes, mayHoldKeys }: CardFile): string[] => [
  line('Gives away the file', `${path} (${sizeBytes} bytes)`),
  ...(mayHoldKeys ? [line('Careful', 'by its name this file may hold passwords or keys')] : []),
];

/** The card for a call that goes to another browser profile than its session's. */
export const toBrowserCard = (tool: string, reading: CallReading, { name, label }: BrowserInfo): RequestBody => ({
  kind: 'consent',
  title: `${tool} in another browser`,
  detail: [line('Browser', `${label} (${name})`), line('The agent wants to', reading.title)].join('\n'),
  where: label,
  options: toOptions({ session: 'Allow in this session' }),
});

/** The card for a program from outside that comes for the first time. */
export const toClientCard = ({ name, program, pid, folder, origin }: Admission): RequestBody => ({
  kind: 'consent',
  title: 'A program wants to use this browser',
  detail: [
    ...(origin === 'agent' ? [line('Careful', 'an agent of Pilotfish has started it')] : []),
    line('Program', program ?? NOT_TOLD),
    line('Process', pid === null ? NOT_TOLD : String(pid)),
    line('Working folder', folder ?? NOT_TOLD),
    line('It calls itself', `${name} (its own word, not checked)`),
    line('A yes', 'is kept for this program under this name until you take it back: pilotfish clients'),
  ].join('\n'),
  ...(program === null ? {} : { where: program }),
  options: [
    { optionId: 'allow', label: 'Allow this program', kind: 'allow_always' },
    { optionId: 'reject', label: 'Do not allow', kind: 'reject' },
  ],
});

const NOT_TOLD = 'this system does not tell';

/** One line of a card; no text of a page or an agent can begin another line. */
export const line = (label: string, text: string): string => `${label}: ${text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LINE_CHARS)}`;
