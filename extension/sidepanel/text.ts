/** Text that agents and pages wrote, made fit to be looked at. */

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);

/** ECMA-48 sequences: CSI, OSC up to its end, and the short ones. */
const ESCAPE = new RegExp(String.raw`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])`, 'g');

/** Terminal output without its escape sequences; a line that was redrawn in place shows its last form. */
export const toPlainOutput = (text: string): string =>
  text
    .replace(ESCAPE, '')
    .replace(/\r\n/g, '\n')
    .replace(/[^\n]*\r(?=[^\n])/g, '')
    .replace(/[^\P{Cc}\n\t]/gu, '');

/**
 * Text a person is about to approve, with what could hide or reorder a part of it made visible: control
 * characters, zero-width ones and bidi overrides stand as their code point.
 */
export const toVisible = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    sign === '\n' || sign === '\t' ? sign : `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );

/** The first `maxUnits` of a text, at a line's end where there is one near. */
export const clip = (text: string, maxUnits: number): { shown: string; hiddenUnits: number } => {
  if (text.length <= maxUnits) return { shown: text, hiddenUnits: 0 };
  const newline = text.lastIndexOf('\n', maxUnits);
  const end = newline > maxUnits / 2 ? newline : maxUnits;
  return { shown: text.slice(0, end), hiddenUnits: text.length - end };
};

/** 0.4 s, 12 s, 3 min 5 s. */
export const toDuration = (ms: number): string => {
  if (ms < 950) return `${(Math.max(ms, 0) / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** 14:05 of the same day, otherwise with the day before it. */
export const toMoment = (at: number, now: number): string => {
  const moment = new Date(at);
  const time = { hour: '2-digit', minute: '2-digit' } as const;
  if (moment.toDateString() === new Date(now).toDateString()) return moment.toLocaleTimeString([], time);
  return moment.toLocaleString([], { weekday: 'short', day: 'numeric', month: 'short', ...time });
};

/** 950, 1.2k, 34k, 1.1M. */
export const toCount = (count: number): string => {
  if (count < 1000) return String(Math.round(count));
  const [value, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 9.95 ? value.toFixed(1).replace('.0', '') : Math.round(value)}${unit}`;
};

/** 12 B, 3.4 kB, 5 MB. */
export const toSize = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 999_500 ? `${toCount(bytes).replace('k', '')} kB` : `${(bytes / 1_000_000).toFixed(1).replace('.0', '')} MB`;
};

/** How many bytes a base64 text stands for. */
export const sizeOfBase64 = (base64: string): number => Math.floor((base64.replace(/=+$/, '').length * 3) / 4);

/** A path short enough for one line: its end says more than its beginning. */
export const toShortPath = (path: string, maxUnits = 34): string => (path.length <= maxUnits ? path : `…${path.slice(1 - maxUnits)}`);
