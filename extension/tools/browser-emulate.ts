import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import type { Emulation, Page } from '#extension/toolkit/page.ts';
import { NETWORKS } from '#extension/toolkit/networks.ts';
import { textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

const NONE: Required<Omit<Emulation, 'size' | 'routes'>> = {
  media: null,
  timezone: null,
  locale: null,
  agent: null,
  network: null,
  cpu: null,
  geolocation: null,
};

/** As a header is. */
const isLine = (text: string): boolean => !/\p{Cc}/u.test(text);

/** Of a tab that has another one already the debugger does not say that it is none. */
const isTimezone = (timeZone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const Input = z.strictObject({
  colorScheme: z.enum(['light', 'dark']).optional().describe('Colours that the user prefers'),
  reducedMotion: z.boolean().optional().describe('Whether they want less movement'),
  forcedColors: z.boolean().optional().describe('Whether the system forces its colours'),
  contrast: z.enum(['more', 'less']).optional().describe('Contrast that they prefer'),
  media: z.enum(['screen', 'print']).optional().describe('print for the look on paper'),
  timezone: z.string().min(1).refine(isTimezone, 'not known to the browser').optional().describe('Europe/Berlin'),
  locale: z.string().min(2).optional().describe('de-DE, for dates and numbers'),
  userAgent: z
    .string()
    .min(1)
    .max(500)
    .refine(isLine, 'a line without control characters')
    .optional()
    .describe('How the browser names itself'),
  network: z.enum(['online', 'offline', 'slow-3g', 'fast-3g', 'fast-4g']).optional().describe('online gives it back; workers keep theirs'),
  geolocation: z
    .strictObject({
      latitude: z.number().min(-90).max(90).describe('Degrees north'),
      longitude: z.number().min(-180).max(180).describe('Degrees east'),
      accuracy: z.number().min(0).optional().describe('Metres, default 10'),
    })
    .optional()
    .describe('Where the device is, for pages that may know it'),
  cpuSlowdown: z.number().min(1).max(20).optional().describe('4 for a phone'),
  tabId,
});
type Input = z.infer<typeof Input>;

/** Lets a page see other surroundings. */
export const browserEmulate = defineTool({
  name: 'browser_emulate',
  title: 'Let the page see other surroundings',
  description:
    'Let the page see another colour scheme, language, time zone, place, browser, network or processor; without arguments the real ones again.',
  input: Input,
  set: 'emulation',
  isWide: true,
  parts: { tab: 'tabId' },
  toolClass: 'navigate',
  scope: 'tab',
  run: async (wanted, { page }) => {
    const words = Object.entries(wanted).flatMap(([name, value]) =>
      name === 'tabId' ? [] : [`${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`],
    );
    await emulate(page, words.length === 0 ? NONE : toEmulation(wanted));
    const isLeft = Object.keys(await page.emulatedByOthers()).some((name) => Object.hasOwn(NONE, name));
    const real = isLeft ? 'sees what others than you have set' : 'sees its real surroundings again';
    return textResult(
      words.length === 0
        ? `Tab ${page.tabId} ${real}.`
        : `Tab ${page.tabId} sees: ${words.join(', ')}; until the session ends, or browser_emulate without arguments.`,
    );
  },
});

const emulate = async (page: Page, emulation: Emulation): Promise<void> => {
  try {
    await page.emulate(emulation);
  } catch (error) {
    const [, which] = /Invalid (timezone|locale)/i.exec(error instanceof Error ? error.message : '') ?? [];
    throw which === undefined
      ? error
      : new CompanionError('TOOL_ARGUMENTS', `browser_emulate: "${which.toLowerCase()}" is not known to the browser.`);
  }
};

/** The look is one command: what is not named in it is as it really is. */
const toEmulation = (wanted: Input): Emulation => {
  const { colorScheme, reducedMotion, forcedColors, contrast, media, timezone, locale, userAgent, network, cpuSlowdown, geolocation } =
    wanted;
  const features = [
    ['prefers-color-scheme', colorScheme],
    ['prefers-reduced-motion', reducedMotion === undefined ? undefined : reducedMotion ? 'reduce' : 'no-preference'],
    ['forced-colors', forcedColors === undefined ? undefined : forcedColors ? 'active' : 'none'],
    ['prefers-contrast', contrast],
  ].flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  return {
    ...(features.length === 0 && media === undefined ? {} : { media: { media: media ?? '', features } }),
    ...(timezone === undefined ? {} : { timezone: { timezoneId: timezone } }),
    ...(locale === undefined ? {} : { locale: { locale } }),
    ...(userAgent === undefined ? {} : { agent: { userAgent } }),
    ...(network === undefined ? {} : { network: NETWORKS[network] }),
    ...(geolocation === undefined ? {} : { geolocation: { accuracy: 10, ...geolocation } }),
    ...(cpuSlowdown === undefined ? {} : { cpu: cpuSlowdown === 1 ? null : { rate: cpuSlowdown } }),
  };
};
