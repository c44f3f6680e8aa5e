/**
 * Archives written byte by byte, so that the same files give the same bytes on every system and no program has to be there:
 * tar (POSIX ustar), ar (as Debian packages have it) and zip. Everything belongs to root and has one time.
 */
import { crc32, deflateRawSync } from 'node:zlib';

/** A file, or a link to another place. */
export type Entry =
  | { readonly name: string; readonly content: Buffer; readonly isExecutable?: boolean }
  | { readonly name: string; readonly linkTo: string };

const BLOCK = 512;

/** With a directory entry for each folder, as dpkg wants it. `root` stands before every name, for instance `./`. */
export const tar = (entries: readonly Entry[], root: string, seconds: number): Buffer => {
  const names = new Set(entries.flatMap(({ name }) => parents(name)));
  const folders = [...names].map((name) => header({ name: `${root}${name}/`, mode: 0o755, size: 0, type: '5', seconds }));
  const top = root === './' ? [header({ name: root, mode: 0o755, size: 0, type: '5', seconds })] : [];
  const files = entries.flatMap((entry) => {
    const name = `${root}${entry.name}`;
    if ('linkTo' in entry) return [header({ name, mode: 0o777, size: 0, type: '2', link: entry.linkTo, seconds })];
    const { content, isExecutable = false } = entry;
    return [
      header({ name, mode: isExecutable ? 0o755 : 0o644, size: content.length, type: '0', seconds }),
      content,
      padding(content.length, BLOCK),
    ];
  });
  return Buffer.concat([...top, ...folders, ...files, Buffer.alloc(2 * BLOCK)]);
};

/** The folders above a name, the outermost first. */
const parents = (name: string): string[] => {
  const parts = name.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
};

interface Head {
  readonly name: string;
  readonly mode: number;
  readonly size: number;
  readonly type: '0' | '2' | '5';
  readonly link?: string;
  readonly seconds: number;
}

/** https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06 */
const header = ({ name, mode, size, type, link = '', seconds }: Head): Buffer => {
  if (Buffer.byteLength(name) > 100 || Buffer.byteLength(link) > 100) throw new Error(`${name} is too long a name for this archive`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(name, 0);
  block.write(octal(mode, 7) + octal(0, 7) + octal(0, 7) + octal(size, 11) + octal(seconds, 11), 100);
  block.write(' '.repeat(8), 148);
  block.write(type, 156);
  block.write(link, 157);
  block.write('ustar\0' + '00', 257);
  block.write('root', 265);
  block.write('root', 297);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
};

const padding = (size: number, unit: number): Buffer => Buffer.alloc((unit - (size % unit)) % unit);

/** https://manpages.debian.org/deb.5 */
export const ar = (members: readonly { readonly name: string; readonly content: Buffer }[], seconds: number): Buffer =>
  Buffer.concat([
    Buffer.from('!<arch>\n'),
    ...members.flatMap(({ name, content }) => [
      Buffer.from(
        `${name.padEnd(16)}${String(seconds).padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(content.length).padEnd(10)}\`\n`,
      ),
      content,
      Buffer.from(content.length % 2 === 1 ? '\n' : ''),
    ]),
  ]);

/** Zip as of APPNOTE 2.0, with the rights of Unix; names are UTF-8. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
export const zip = (entries: readonly Exclude<Entry, { linkTo: string }>[], seconds: number): Buffer => {
  const { date, time } = dosTime(seconds);
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, content, isExecutable = false } of entries) {
    const packed = deflateRawSync(content, { level: 9 });
    const encoded = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt16LE(time, 6);
    common.writeUInt16LE(date, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(encoded.length, 22);
    const record = Buffer.alloc(14);
    record.writeUInt32LE((isExecutable ? 0o100755 : 0o100644) * 0x10000, 6);
    record.writeUInt32LE(offset, 10);
    const local = Buffer.concat([signature(0x04034b50), common, encoded, packed]);
    central.push(Buffer.concat([signature(0x02014b50), MADE_BY_UNIX, common, record, encoded]));
    locals.push(local);
    offset += local.length;
  }
  const size = central.reduce((total, { length }) => total + length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, ...central, signature(0x06054b50), end]);
};

const MADE_BY_UNIX = Buffer.from([20, 3]);

const signature = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** MS-DOS has no zone: UTC, so that it is the same everywhere. */
const dosTime = (seconds: number): { date: number; time: number } => {
  const at = new Date(Math.max(seconds, Date.UTC(1980, 0, 1) / 1000) * 1000);
  return {
    date: ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
  };
};
