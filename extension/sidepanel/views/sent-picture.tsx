/** A picture that was attached to a prompt, as it was sent. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AttachmentRef } from '#protocol/items.ts';
import { AttachmentChip } from './attachment-chip.tsx';
import { useScene } from './scene.ts';

/** Formats that hold pixels and nothing else. */
const PIXELS = /^image\/(?:png|jpeg|webp|gif)$/;

export const isPicture = ({ mimeType }: Pick<AttachmentRef, 'mimeType'>): boolean => PIXELS.test(mimeType);

export const SentPicture = ({ file }: { file: AttachmentRef }): JSX.Element => {
  const { t, actions } = useScene();
  const [data, setData] = useState<string | null>(null);
  const [isLarge, setLarge] = useState(false);
  useEffect(() => {
    let isShown = true;
    // One that is gone is still named.
    actions.readAttachment(file).then(
      (read) => (isShown ? setData(read) : undefined),
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [file.attachmentId, actions]);
  if (data === null) return <AttachmentChip kind={file.kind} name={file.name} sizeBytes={file.sizeBytes} />;
  return (
    <li>
      <button
        type="button"
        class={isLarge ? 'picture large' : 'picture'}
        aria-expanded={isLarge}
        aria-label={t('enlarge', { name: file.name })}
        onClick={() => setLarge(!isLarge)}
      >
        <img src={`data:${file.mimeType};base64,${data}`} alt={file.name} />
      </button>
    </li>
  );
};
