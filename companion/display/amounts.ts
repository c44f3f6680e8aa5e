/** Durations, moments, counts and sizes in the unit a person would use. */
import type { SayWord } from './words.ts';

/** 0.4 s, 12 s, 3 min 5 s, 2 h 1 min. */
export const toDuration = (ms: number, say: SayWord): string => {
  if (ms < 950) return say('time_s', { s: (Math.max(ms, 0) / 1000).toFixed(1) });
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return say('time_s', { s: seconds });
  const [minutes, s] = [Math.floor(seconds / 60), seconds % 60];
  if (minutes < 60) return s === 0 ? say('time_min', { min: minutes }) : say('time_min_s', { min: minutes, s });
  return say('time_h', { h: Math.floor(minutes / 60), min: minutes % 60 });
};

/** The time of day, with the day before it when that is not today. Without a language tag it is written as the system writes it. */
export const toMoment = (at: number, now: number, languageTag?: string): string => {
  const moment = new Date(at);
  const time = { hour: '2-digit', minute: '2-digit' } as const;
  if (moment.toDateString() === new Date(now).toDateString()) return moment.toLocaleTimeString(languageTag, time);
  return moment.toLocaleString(languageTag, { weekday: 'short', day: 'numeric', month: 'short', ...time });
};

/** 950, 1.2k, 34k, 1.1M. */
export const toCount = (count: number): string => {
  if (count < 1000) return String(Math.round(count));
  const [value, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 9.95 ? value.toFixed(1).replace('.0', '') : Math.round(value)}${unit}`;
};

/** $0.004, $0.42, $12.30; what cannot be true is cut to what fits. */
export const toCost = (usd: number): string => {
  if (usd > 0 && usd < 0.0005) return '<$0.001';
  return `$${Math.min(usd, 1e6).toFixed(usd > 0 && usd < 0.1 ? 3 : 2)}`;
};

/** 1, 9, 9+: a count where there is room for no more. */
export const toBadge = (count: number): string => (count > 9 ? '9+' : String(count));

/** 12 B, 3.4 kB, 5 MB. */
export const toSize = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${toCount(bytes).replace('k', '')} kB`;
  const megabytes = bytes / 1_000_000;
  const [amount, unit] = megabytes < 999.95 ? [megabytes, 'MB'] : [megabytes / 1000, 'GB'];
  return `${amount.toFixed(1).replace('.0', '')} ${unit}`;
};

/** A size above a limit: one that would be written like the limit is told to be larger. */
export const toSizeAbove = (bytes: number, limit: number): string =>
  toSize(bytes) === toSize(limit) ? `> ${toSize(limit)}` : toSize(bytes);
