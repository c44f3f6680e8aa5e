/** Requests of a tab as agents are told of them, a line each. Pure. */
import { hideInAddress } from './hide-secrets.ts';
import type { RequestEntry } from './page.ts';

const STATIC = new Set<RequestEntry['type']>(['image', 'font', 'stylesheet', 'script', 'media', 'csp_report']);
const WORDS = new Map<RequestEntry['type'], string>([
  ['xmlhttprequest', 'fetch'],
  ['main_frame', 'page'],
  ['sub_frame', 'frame'],
]);

const MAX_ADDRESS = 300;

/** Whether it was loaded to show the page. One that failed is worth telling whatever it is. */
export const isStatic = ({ type, status, error }: RequestEntry): boolean => STATIC.has(type) && error === null && (status ?? 0) < 400;

/** Method, address, status, kind and time. */
export const toRequestLine = ({ index, method, url, type, status, error, ms }: RequestEntry): string => {
  const end = error ?? status ?? 'under way';
  return `${index}. ${method} ${hideInAddress(url).slice(0, MAX_ADDRESS)} ${end} ${WORDS.get(type) ?? type}${ms === null ? '' : ` ${ms} ms`}`;
};
