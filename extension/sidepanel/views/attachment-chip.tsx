/** Something attached, in the composer or in the conversation. */
import type { ComponentChildren, JSX } from 'preact';
import { toSize } from '#display/amounts.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import { Icon, type IconName } from './icons.tsx';

const icons = {
  image: 'clip',
  file: 'clip',
  screenshot: 'camera',
  element: 'target',
  selection: 'quote',
  console: 'execute',
  network: 'fetch',
  page: 'read',
} as const satisfies Record<AttachmentRef['kind'], IconName>;

export const AttachmentChip = ({
  kind,
  name,
  part = '',
  sizeBytes,
  hint = name,
  picture = null,
  children,
}: {
  kind: AttachmentRef['kind'];
  name: string;
  /** Which one it is among others of that name. */
  part?: string;
  sizeBytes: number;
  /** A longer text, shown while the pointer rests on it. */
  hint?: string;
  /** Address of a small picture of it. */
  picture?: string | null;
  children?: ComponentChildren;
}): JSX.Element => (
  <li class="chip" title={hint}>
    {picture === null ? <Icon name={icons[kind]} /> : <img class="chip-image" src={picture} alt="" />}
    <span class="chip-name">{name}</span> {part === '' ? null : <span class="chip-part">{part}</span>}{' '}
    <span class="muted">{toSize(sizeBytes)}</span>
    {children}
  </li>
);
