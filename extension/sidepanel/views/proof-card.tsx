/** What a turn has made of the elements that the person had picked for it: before and after, side by side. */
import type { JSX } from 'preact';
import { noticeText } from '#display/notice-text.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import type { AttachmentRef, ItemBody, Proof, ProofPair } from '#protocol/items.ts';
import { Icon } from './icons.tsx';
import { Quoting } from './parts.tsx';
import { useScene } from './scene.ts';
import { SentPicture } from './sent-picture.tsx';

type Notice = Extract<ItemBody, { kind: 'notice' }>;

export const ProofCard = ({ body, proof }: { body: Notice; proof: Proof }): JSX.Element => {
  const { t, actions, focusComposer } = useScene();
  const sendBack = async (): Promise<void> => {
    await actions.sendBack(proof, { before: t('proof_before'), after: t('proof_after'), error: t('proof_error') });
    focusComposer();
  };
  return (
    <section class="proof" aria-label={t('proof')}>
      <h3>
        <Icon name={body.level === 'info' ? 'info' : 'warning'} /> <Quoting text={noticeText(body, t)} />
      </h3>
      {proof.pairs.map((pair, index) => (
        <Pair key={index} pair={pair} />
      ))}
      {proof.buildError === undefined ? null : (
        <pre class="provider-text" tabIndex={0} aria-label={t('proof_error')}>
          {toVisible(proof.buildError)}
        </pre>
      )}
      <div class="buttons">
        <button type="button" class="link" onClick={() => void sendBack()}>
          {t('proof_send_back')}
        </button>
      </div>
    </section>
  );
};

const Pair = ({ pair: { element, isThere, before, after } }: { pair: ProofPair }): JSX.Element => {
  const { t } = useScene();
  return (
    <figure class="proof-pair">
      <figcaption>{toVisible(element)}</figcaption>
      <ul class="proof-pictures">
        <Side label={t('proof_before')} picture={before} otherwise={t('proof_no_picture')} />
        <Side label={t('proof_after')} picture={after} otherwise={t(isThere ? 'proof_no_picture' : 'proof_gone')} />
      </ul>
    </figure>
  );
};

/** A picture with its name, or why there is none. */
const Side = ({ label, picture, otherwise }: { label: string; picture: AttachmentRef | undefined; otherwise: string }): JSX.Element => (
  <li class="proof-side">
    <span class="muted small-text">{label}</span>
    {picture === undefined ? (
      <p class="muted">{otherwise}</p>
    ) : (
      <ul class="chips">
        <SentPicture file={{ ...picture, name: label }} />
      </ul>
    )}
  </li>
);
