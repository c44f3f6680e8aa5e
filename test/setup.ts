/** Brings what the tests need and a clean clone does not have: a browser, the built program, the real agents. Run before vitest. */
import { build } from '#installer/build.ts';
import { installClis } from '#test/fixtures/clis.ts';
import { installSystemPackages } from '#test/fixtures/system-packages.ts';

const report = (line: string): void => console.log(line);

installSystemPackages(report);
await build({ force: false, report });
await installClis(report);
