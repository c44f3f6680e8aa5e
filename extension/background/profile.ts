/** The identity of this browser for the companion: random, made once for each profile. */
import * as z from 'zod';
import { BrowserId } from '#protocol/ids.ts';

export interface Identity {
  readonly browserId: BrowserId;
  readonly browserName: string;
  readonly label: string;
}

export class Profile {
  #browserId: Promise<BrowserId> | null = null;

  /** The id is kept; the label may be given by the user, under `label`. */
  async load(): Promise<Identity> {
    this.#browserId ??= readId();
    const browserId = await this.#browserId;
    const browserName = nameFromBrands();
    const { label } = await chrome.storage.local.get('label');
    return { browserId, browserName, label: typeof label === 'string' && label !== '' ? label : `${browserName} ${browserId.slice(-4)}` };
  }

  /** Takes another id, because a copy of this profile has the old one too. */
  async renew(): Promise<void> {
    this.#browserId = makeId();
    await this.#browserId;
  }
}

const readId = async (): Promise<BrowserId> => {
  const known = BrowserId.safeParse((await chrome.storage.local.get('browserId'))['browserId']);
  return known.success ? known.data : makeId();
};

const makeId = async (): Promise<BrowserId> => {
  const browserId = BrowserId.parse(`browser_${crypto.randomUUID()}`);
  await chrome.storage.local.set({ browserId });
  return browserId;
};

const Brands = z.object({ brands: z.array(z.object({ brand: z.string() })) });

/** Not in TypeScript's library: only the Chromium family has it. */
const nameFromBrands = (): string => {
  const hints = Brands.safeParse('userAgentData' in navigator ? navigator.userAgentData : null);
  const brands = (hints.success ? hints.data.brands : []).map(({ brand }) => brand).filter((brand) => !/not.?a.?brand/i.test(brand));
  return brands.find((brand) => brand !== 'Chromium') ?? brands[0] ?? 'Chromium';
};
