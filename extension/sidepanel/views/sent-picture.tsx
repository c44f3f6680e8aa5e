/** A picture that was attached to a prompt, as it was sent. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AttachmentRef } from '#protocol/items.ts';
import { pictureUrl } from '../pictures.ts';
import { AttachmentChip } from './attachment-chip.tsx';
import { useKept } from './kept.ts';
import { useScene } from './scene.ts';

export const SentPicture = ({ file }: { file: AttachmentRef }): JSX.Element => {
  const { t, actions } = useScene();
  const [url, setUrl] = useState<string | null>(null);
  const [isLarge, setLarge] = useKept('open', `picture ${file.attachmentId}`, false);
  useEffect(() => {
    let isShown = true;
    // One that is gone is still named.
    actions.readAttachment(file).then(
      (dataBase64) => (isShown ? setUrl(pictureUrl({ mimeType: file.mimeType, dataBase64 })) : undefined),
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [file.attachmentId, actions]);
  if (url === null) return <AttachmentChip kind={file.kind} name={file.name} sizeBytes={file.sizeBytes} />;
  return (
    <li>
      <button
        type="button"
        class={isLarge ? 'picture large' : 'picture'}
        aria-expanded={isLarge}
        aria-label={t('enlarge', { name: file.name })}
        onClick={() => setLarge(!isLarge)}
      >
        <img src={url} alt={file.name} />
      </button>
    </li>
  );
};
