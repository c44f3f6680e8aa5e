/** The application for macOS: a bundle with the program in it, which opens Terminal. Checked by its structure, not run on a Mac here. */
import { applicationFiles } from '#installer/register/macos.ts';
import type { Entry } from './archives.ts';
import type { Program } from './deb.ts';

/** The program lies beside the file that Terminal opens, wherever the bundle is put. */
export const appFiles = ({ version, executable, icon, license, sbom }: Program): Entry[] => {
  const contents = 'Pilotfish.app/Contents';
  return [
    ...applicationFiles('exec "$(dirname "$0")/pilotfish"', version).map(({ place, text, isExecutable }) => ({
      name: `${contents}/${place.join('/')}`,
      content: Buffer.from(text),
      isExecutable,
    })),
    { name: `${contents}/Resources/pilotfish`, content: executable, isExecutable: true },
    { name: `${contents}/Resources/Pilotfish.icns`, content: icon },
    { name: `${contents}/Resources/LICENSE.txt`, content: Buffer.from(license) },
    { name: `${contents}/Resources/sbom.cdx.json`, content: Buffer.from(sbom) },
  ];
};
