/** Brings what the tests of the built program need and a clean clone does not have: the program itself, the real agents, what pages are made with. */
import { build } from '#installer/build.ts';
import { installClis, SHORT_FORM } from '#test/fixtures/clis.ts';
import { fetchEditors } from '#test/fixtures/editors.ts';
import { fetchFrameworks } from '#test/fixtures/frameworks.ts';
import { isWhole } from '#test/fixtures/whole.ts';

const report = (line: string): void => console.log(line);

await Promise.all([
  build({ force: false, report }),
  installClis(report, isWhole ? undefined : SHORT_FORM),
  ...(isWhole ? [fetchEditors(), fetchFrameworks()] : []),
]);
