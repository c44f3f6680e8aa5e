/** The cookies of a page, also those that its scripts do not see. */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import type { Page } from './page.ts';

const SameSite = z.enum(['Strict', 'Lax', 'None']);

/** As Playwright writes it into a storage state; -1 for one that lasts until the browser ends. */
export const Cookie = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  path: z.string(),
  expires: z.number(),
  httpOnly: z.boolean(),
  secure: z.boolean(),
  sameSite: SameSite.optional().catch(undefined),
  /** The site around a page that alone gets it, https://developer.mozilla.org/docs/Web/Privacy/Guides/Privacy_sandbox/Partitioned_cookies */
  partitionKey: z.string().optional().catch(undefined),
  _crHasCrossSiteAncestor: z.boolean().optional().catch(undefined),
});
export type Cookie = z.infer<typeof Cookie>;

/** What a cookie is set to; what is left out is up to the browser. */
export interface NewCookie {
  readonly name: string;
  readonly value: string;
  readonly domain?: string | undefined;
  readonly path?: string | undefined;
  readonly expires?: number | undefined;
  readonly httpOnly?: boolean | undefined;
  readonly secure?: boolean | undefined;
  readonly sameSite?: Cookie['sameSite'];
  readonly partitionKey?: Cookie['partitionKey'];
  readonly _crHasCrossSiteAncestor?: Cookie['_crHasCrossSiteAncestor'];
}

/** What some cookies have in common. */
export interface CookieFilter {
  readonly name?: string | undefined;
  readonly domain?: string | undefined;
  readonly path?: string | undefined;
}

/** As the debugger writes it. */
const Partition = z.object({ topLevelSite: z.string(), hasCrossSiteAncestor: z.boolean() });
const Told = Cookie.extend({ partitionKey: Partition.optional() });
const Cookies = z.object({ cookies: z.array(Told) });
const Done = z.object({ success: z.boolean() });

export const findCookies = async (page: Page, { name, domain, path }: CookieFilter = {}): Promise<Cookie[]> => {
  const url = await page.address();
  const { cookies } = Cookies.parse(await page.command('Network.getCookies', { urls: [url] }));
  return cookies
    .map(fromTold)
    .filter(
      (cookie) =>
        isOfPartition(url, cookie) &&
        (name === undefined || cookie.name === name) &&
        (domain === undefined || bare(cookie.domain) === bare(domain)) &&
        (path === undefined || cookie.path === path),
    );
};

const fromTold = ({ partitionKey, ...cookie }: z.infer<typeof Told>): Cookie =>
  partitionKey === undefined
    ? cookie
    : { ...cookie, partitionKey: partitionKey.topLevelSite, _crHasCrossSiteAncestor: partitionKey.hasCrossSiteAncestor };

/** For the debugger; nothing where all pages of the site get it. */
const partitionOf = ({ partitionKey, _crHasCrossSiteAncestor }: Pick<NewCookie, 'partitionKey' | '_crHasCrossSiteAncestor'>): object =>
  partitionKey === undefined
    ? {}
    : { partitionKey: { topLevelSite: partitionKey, hasCrossSiteAncestor: _crHasCrossSiteAncestor ?? false } };

/** Whether the page gets it by what is around it, which for a page of a tab is its own site. */
const isOfPartition = (url: string, { partitionKey, _crHasCrossSiteAncestor }: Cookie): boolean => {
  if (partitionKey === undefined) return true;
  const site = URL.parse(partitionKey);
  return site !== null && _crHasCrossSiteAncestor !== true && site.protocol === new URL(url).protocol && isOf(url, site.hostname);
};

/** Throws for another site than the page's: a yes is for one. */
export const setCookie = async (page: Page, cookie: NewCookie): Promise<void> => {
  const url = await page.address();
  if (cookie.domain !== undefined && !isOf(url, cookie.domain))
    throw new CompanionError('TOOL_FAILED', `The page of ${new URL(url).host} gets no cookie for ${cookie.domain}.`, {
      remedy: 'Open a page of that site first, or leave "domain" out.',
    });
  const { partitionKey, _crHasCrossSiteAncestor, ...plain } = cookie;
  const told = { ...plain, ...partitionOf({ partitionKey, _crHasCrossSiteAncestor }), url };
  const given = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
  const { success } = Done.parse(await page.command('Network.setCookie', given).catch(whenRefused(cookie)));
  if (!success) throw new CompanionError('TOOL_FAILED', 'The browser did not take the cookie: its attributes do not fit this page.');
};

/** Throws where the browser has taken a cookie and does not hold it. */
export const checkKept = async (page: Page, { name, value, path = '/', secure = false }: NewCookie): Promise<void> => {
  const url = new URL(await page.address());
  url.pathname = path;
  if (secure) url.protocol = 'https:';
  const { cookies } = Cookies.parse(await page.command('Network.getCookies', { urls: [url.href] }));
  if (cookies.some((held) => held.name === name && held.value === value)) return;
  throw new CompanionError('TOOL_FAILED', 'The browser did not keep the cookie: it has expired already, or its domain is no single site.', {
    remedy: 'Give a later time as "expires", in Unix seconds, or leave "domain" out.',
  });
};

const whenRefused =
  ({ name }: NewCookie) =>
  (error: unknown): never => {
    if (!(error instanceof CompanionError) || error.code !== 'TOOL_ARGUMENTS') throw error;
    throw new CompanionError(
      'TOOL_ARGUMENTS',
      `The browser takes no such cookie as ${JSON.stringify(name.slice(0, MAX_NAME_CHARS))}. "name" and "value" have no control characters, no semicolon and no space at an end, and at most 4096 characters together; "path" begins with /.`,
      { cause: error },
    );
  };

const MAX_NAME_CHARS = 60;

/** All cookies of the page are these, or, where one of them cannot be set or `then` fails, what they were. */
export const replaceCookies = async (page: Page, cookies: readonly NewCookie[], then: () => Promise<unknown>): Promise<void> => {
  const before = await findCookies(page);
  await deleteCookies(page, before);
  try {
    for (const cookie of cookies) await setCookie(page, cookie);
    await then();
  } catch (error) {
    await deleteCookies(page, await findCookies(page));
    for (const cookie of before) await setCookie(page, toNew(cookie));
    throw error;
  }
};

/** A cookie as it is set again. */
export const toNew = ({ expires, ...cookie }: Cookie): NewCookie => (expires < 0 ? cookie : { ...cookie, expires });

export const deleteCookies = async (page: Page, cookies: readonly Cookie[]): Promise<void> => {
  await Promise.all(
    cookies.map((cookie) => {
      const { name, domain, path } = cookie;
      return page.command('Network.deleteCookies', { name, domain, path, ...partitionOf(cookie) });
    }),
  );
};

/** Whether a page of this address gets the cookie. */
export const isFor = (url: string, cookie: Cookie): boolean => isOf(url, cookie.domain) && isOfPartition(url, cookie);

/** Whether pages of this address get cookies for the domain. */
const isOf = (url: string, domain: string): boolean => {
  const { hostname } = new URL(url);
  return hostname === bare(domain) || hostname.endsWith(`.${bare(domain)}`);
};

const bare = (domain: string): string => domain.replace(/^\./, '').toLowerCase();
