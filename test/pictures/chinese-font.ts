/** A font that has Chinese, for the browser that takes pictures and for nothing else: an installed one changes how other pages look, too. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const PACKAGE = 'fonts-wqy-microhei';
const FOLDER = path.join(import.meta.dirname, '..', '..', '.cache', 'fonts');

/** What this process starts from now on finds the font, which comes from Debian's package without being installed. */
export const useChineseFont = (): void => {
  const unpacked = path.join(FOLDER, 'usr');
  if (!existsSync(unpacked)) {
    mkdirSync(FOLDER, { recursive: true });
    execFileSync('apt-get', ['download', '-qq', PACKAGE], { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
    const file = readdirSync(FOLDER).find((name) => name.startsWith(`${PACKAGE}_`));
    if (file === undefined) throw new Error(`apt-get brought no ${PACKAGE}`);
    execFileSync('dpkg-deb', ['-x', path.join(FOLDER, file), FOLDER]);
  }
  const config = path.join(FOLDER, 'fonts.conf');
  const places = `<include>/etc/fonts/fonts.conf</include><dir>${unpacked}</dir><cachedir>${path.join(FOLDER, 'cache')}</cachedir>`;
  writeFileSync(config, `<?xml version="1.0"?><fontconfig>${places}</fontconfig>`);
  process.env['FONTCONFIG_FILE'] = config;
};
