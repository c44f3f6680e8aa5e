/** Who this browser is to the companion: random, made once per profile. */
import * as z from 'zod';
import { BrowserId } from '#protocol/ids.ts';

export interface Profile {
  readonly browserId: BrowserId;
  readonly browserName: string;
  readonly label: string;
}

/** The profile's id is kept; its label may be given by the user, under `label`. */
export const loadProfile = async (): Promise<Profile> => {
  const stored = await chrome.storage.local.get(['browserId', 'label']);
  const known = BrowserId.safeParse(stored['browserId']);
  const browserId = known.success ? known.data : BrowserId.parse(`browser_${crypto.randomUUID()}`);
  if (!known.success) await chrome.storage.local.set({ browserId });
  const browserName = nameFromBrands();
  const label = stored['label'];
  return { browserId, browserName, label: typeof label === 'string' && label !== '' ? label : `${browserName} ${browserId.slice(-4)}` };
};

const Brands = z.object({ brands: z.array(z.object({ brand: z.string() })) });

/** Not in TypeScript's library: only the Chromium family has it. */
const nameFromBrands = (): string => {
  const hints = Brands.safeParse('userAgentData' in navigator ? navigator.userAgentData : null);
  const brands = (hints.success ? hints.data.brands : []).map(({ brand }) => brand).filter((brand) => !/not.?a.?brand/i.test(brand));
  return brands.find((brand) => brand !== 'Chromium') ?? brands[0] ?? 'Chromium';
};
