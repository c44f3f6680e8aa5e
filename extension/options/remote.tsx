/** Where Pilotfish runs: on this machine, or elsewhere at the end of a tunnel, with which this browser is paired once. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ErrorBody } from '#protocol/errors.ts';
import { toErrorBody } from '#protocol/errors.ts';
import { loadBrowserKey } from '#extension/shared/remote-key.ts';
import { REMOTE_PLACE_KEY, loadRemotePlace, pair } from '#extension/shared/remote.ts';
import { Sentence } from '#extension/sidepanel/views/parts.tsx';
import { TrustedAct } from '#extension/sidepanel/views/trusted-act.tsx';
import { Fault } from './fields.tsx';
import { useSettings } from './scene.ts';

/** A pairing that waits for the person to compare the code. */
interface Asked {
  readonly code: string;
  readonly answer: (isSame: boolean) => void;
}

export const Remote = (): JSX.Element => {
  const { say } = useSettings();
  const [place, setPlace] = useState<string | null>(null);
  const [address, setAddress] = useState('');
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ErrorBody | null>(null);
  useEffect(() => void loadRemotePlace().then((found) => setPlace(found?.address ?? null)), []);
  const begin = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const confirm = (code: string): Promise<boolean> => new Promise((answer) => setAsked({ code, answer }));
      const key = await loadBrowserKey();
      const paired = await pair({ address, name: await nameOfBrowser(), key, confirm, signal: new AbortController().signal });
      await chrome.storage.local.set({ [REMOTE_PLACE_KEY]: paired });
      setPlace(paired.address);
    } catch (fault) {
      setError(toErrorBody(fault));
    } finally {
      setAsked(null);
      setBusy(false);
    }
  };
  const answer = (isSame: boolean): Promise<void> => {
    asked?.answer(isSame);
    if (isSame) setAsked(asked === null ? null : { ...asked, answer: () => {} });
    return Promise.resolve();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (event.isTrusted && !isBusy) void begin();
      }}
    >
      <h3>{say('elsewhere')}</h3>
      <p class="muted">
        <Sentence text={say('elsewhereHow')} />
      </p>
      {place === null ? null : (
        <>
          <p role="status">
            {say('elsewhereAt')} <code>{place}</code>
          </p>
          <TrustedAct
            label={say('elsewhereBack')}
            hint=""
            work={() => chrome.storage.local.remove(REMOTE_PLACE_KEY).then(() => setPlace(null))}
          />
        </>
      )}
      <div class="field-row">
        <input
          class="field"
          value={address}
          placeholder="ws://127.0.0.1:56889"
          aria-label={say('elsewhereAddress')}
          onInput={(event) => setAddress(event.currentTarget.value)}
        />
        <button type="submit" disabled={isBusy}>
          {say('pair')}
        </button>
      </div>
      {asked === null ? null : (
        <div role="alert">
          <p>{say('pairCompare')}</p>
          <p class="pair-code">
            <code>{asked.code}</code>
          </p>
          <TrustedAct label={say('pairSame')} hint={say('pairSameHint')} work={() => answer(true)} />
          <TrustedAct label={say('pairOther')} hint="" work={() => answer(false)} />
        </div>
      )}
      <Fault error={error} />
    </form>
  );
};

/** What the other end is told: the person's name for this browser, or what it is. */
const nameOfBrowser = async (): Promise<string> => {
  const { label } = await chrome.storage.local.get('label');
  return typeof label === 'string' && label !== ''
    ? label
    : `${navigator.userAgent.split(' ').at(-2) ?? 'Chromium'} (${navigator.platform})`;
};
