import { randomBytes, createHash } from 'node:crypto';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { type AgentStage } from './tool-stage.ts';
import { describeTabs, plainTest as test } from './tool-test.ts';

/** A file of the project that the stage's agents work in. */
const write = (stage: AgentStage, name: string, content: string | Buffer): string => {
  const file = path.join(stage.projectDir, name);
  writeFileSync(file, content);
  return file;
};

const UPLOAD = 'browser_file_upload';

describeTabs(
  (how) => `browser_file_upload in a ${how} tab`,
  ({ open }) => {
    // The page reads a file before it says what it got.
    test('puts files into a field, which the page hears as a choice of the person', async ({ stage }) => {
      const whole = write(stage, 'a report.pdf', 'first page');
      write(stage, 'ünï.csv', 'a,b');
      const agent = await open(stage, 'files.html');

      const receipt = await agent.text(UPLOAD, { target: '#one', paths: ['a report.pdf'] });

      expect(receipt).toMatch(/^Handed over 1 file\..*target: \[e\d+ file "Report" takes "\.pdf, image\/\*" = "a report\.pdf"\]/s);
      await expect
        .poll(() => agent.text('browser_snapshot'))
        .toContain('one got 1: a report.pdf application/pdf 10: first page input change');
      await agent.text(UPLOAD, { target: '#many', paths: [whole, './ünï.csv'] });
      await expect
        .poll(() => agent.text('browser_snapshot'))
        .toContain('many got 2: a report.pdf application/pdf 10: first page; ünï.csv text/csv 3: a,b');
      const [card] = agent.asked;
      expect(card?.title).toBe(`Hand files to “Report” on ${stage.url}`);
      expect(card?.detail).toMatch(/Element, as the page names it: file "Report"/);
      expect(card?.told).toContainEqual(
        expect.objectContaining({ code: 'line_element', values: { text: expect.stringContaining('Report') } }),
      );
      expect(card?.detail).toContain(`Gives away the file: ${whole} (10 bytes)`);
    });

    test('finds the field behind a label, a button, and a field that is in no document', { tags: 'whole' }, async ({ stage }) => {
      write(stage, 'photo.png', 'pixels');
      const agent = await open(stage, 'files.html');
      agent.answerWith(() => 'session');

      for (const [aim, id] of [
        ['text=Choose a photo', 'labelled'],
        [/^file "Choose a photo"/, 'labelled'],
        [/^file "Attachment"/, 'hidden'],
        ['#button', 'hidden'],
        ['#detached', 'detached'],
        ['#later', 'later'],
      ] as const) {
        const target = typeof aim === 'string' ? aim : await agent.ref(aim);
        expect(await agent.text(UPLOAD, { target, paths: ['photo.png'] }), target).toMatch(/^Handed over 1 file\./);
        await expect
          .poll(() => agent.text('browser_snapshot'), { message: target })
          .toContain(`${id} got 1: photo.png image/png 6: pixels`);
        await agent.text('browser_reload');
      }
    });

    test(
      'takes the field for files where one for a folder stands beside it, and the one of a component',
      { tags: 'whole' },
      async ({ stage }) => {
        const paths = Array.from({ length: 12 }, (_, index) => `${index} 文件.txt`);
        for (const name of paths) write(stage, name, '');
        const page = `<div id="area">Drop files here<input hidden type="file" multiple><input hidden type="file" webkitdirectory></div><x-field></x-field><script>
        customElements.define('x-field', class extends HTMLElement {
          connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<p>Files</p><input hidden type="file" multiple>'; }
        });
        addEventListener('change', (event) => document.body.append(event.composedPath()[0].files.length + ' files '), true);
      </script>`;
        const agent = await open(stage, `says?text=${encodeURIComponent(page).replaceAll("'", '%27')}`);
        agent.answerWith(() => 'session');

        for (const target of ['#area', 'x-field'])
          expect(await agent.text(UPLOAD, { target, paths }), target).toMatch(/^Handed over 12 files\.[^]*0 文件\.txt, 1 文件\.txt/);
        expect(await agent.text('browser_snapshot')).toContain('12 files');
      },
    );

    test('takes up what a click made the page ask for', async ({ stage }) => {
      write(stage, 'photo.png', 'pixels');
      const agent = await open(stage, 'files.html');
      agent.answerWith(() => 'session');

      expect(await agent.text('browser_click', { target: '#button' })).toMatch(
        /use browser_file_upload.*file field: \[e\d+ file "Attachment"/s,
      );
      await agent.text(UPLOAD, { paths: ['photo.png'] });
      await expect.poll(() => agent.text('browser_snapshot')).toContain('hidden got 1: photo.png');
      expect(await agent.text('browser_click', { target: '#detached', trusted: true })).toContain('use browser_file_upload');
      await agent.text(UPLOAD, { paths: ['photo.png'] });
      await expect.poll(() => agent.text('browser_snapshot')).toContain('detached got 1: photo.png');
    });

    test('says what a field does not take', { tags: 'whole' }, async ({ stage }) => {
      write(stage, 'plan.txt', 'plan');
      const agent = await open(stage, 'files.html');
      agent.answerWith(() => 'session');
      const paths = ['plan.txt'];

      expect(await agent.text(UPLOAD, { target: '#one', paths })).toContain('does not take 1 file of them: plan.txt.');
      expect(await agent.error(UPLOAD, { target: '#one', paths: [...paths, ...paths] })).toMatch(
        /^TOOL_ARGUMENTS: .*takes one file, and 2/,
      );
      expect(await agent.error(UPLOAD, { target: '#folder', paths })).toMatch(/^TOOL_ARGUMENTS: .*whole folder/);
      expect(await agent.error(UPLOAD, { target: '#off', paths })).toMatch(/^TARGET_NOT_READY: .*disabled/);
      expect(await agent.error(UPLOAD, { target: '#nothing', paths })).toMatch(/^TOOL_ARGUMENTS: .*no file dialog.*browser_snapshot/);
      expect(await agent.error(UPLOAD, { paths })).toMatch(/^TOOL_ARGUMENTS: .*6 file fields \(e\d+, .*\): give one of them as "target"/);
      expect(await agent.error(UPLOAD, { target: '#one', paths: [] })).toContain('"paths"');
      expect(await agent.error(UPLOAD, { target: '#one' })).toContain('Expected arguments: paths, target?');
      expect(await agent.error('browser_click', { target: '#many' })).toContain('use browser_file_upload');
      const snapshot = await agent.text('browser_snapshot');
      expect(snapshot).toMatch(/\[e\d+ file "Report" takes "\.pdf, image\/\*"[ \]]/);
      expect(snapshot).toMatch(/\[e\d+ file "Pictures" takes several\]/);
      expect(snapshot).toMatch(/\[e\d+ file "Folder" takes a folder\]/);
    });
  },
);

describe('browser_file_upload', () => {
  test('carries megabytes, byte for byte', { tags: 'whole' }, async ({ stage }) => {
    const bytes = randomBytes(9_000_001);
    write(stage, 'large.bin', bytes);
    const script =
      "crypto.subtle.digest('SHA-256', await f.files[0].arrayBuffer()).then(h => document.title = 'sum ' + [...new Uint8Array(h)].map(b => b.toString(16).padStart(2, '0')).join(''))";
    const markup = `<input type="file" id="f" onchange="(async (f) => ${script})(this)">`;
    const agent = await stage.open(`says?text=${encodeURIComponent(markup)}`);

    await agent.text(UPLOAD, { target: '#f', paths: ['large.bin'] });

    const sum = createHash('sha256').update(bytes).digest('hex');
    await expect.poll(async () => agent.text('browser_tabs', { action: 'list' })).toContain(`sum ${sum}`);
  });

  test('gives away nothing outside the project, and nothing without a yes', async ({ stage }) => {
    write(stage, 'photo.png', 'pixels');
    symlinkSync('/etc/hostname', path.join(stage.projectDir, 'innocent.txt'));
    const agent = await stage.open('files.html');

    for (const name of ['/etc/hostname', '../../profile-0', 'innocent.txt'])
      expect(await agent.error(UPLOAD, { target: '#one', paths: [name] }), name).toMatch(
        /^FILE_OUTSIDE_PROJECT: .*inside .* or ask the user/s,
      );
    expect(await agent.error(UPLOAD, { target: '#one', paths: ['missing.png'] })).toMatch(/^FILE_NOT_FOUND: /);
    expect(agent.asked).toEqual([]);
    agent.answerWith(() => 'reject');
    expect(await agent.error(UPLOAD, { target: '#one', paths: ['photo.png'] })).toMatch(/^CONSENT_DENIED: /);
    expect(await agent.text('browser_snapshot')).not.toContain('got');
  });

  test('hands over what the session has saved, asks each time and says of which site it is', { tags: 'whole' }, async ({ stage }) => {
    const downloads = path.join(stage.homeDir, 'downloads');
    const agent = await stage.open('download.html?name=numbers.csv');
    agent.answerWith(({ options }) => (options.some(({ optionId }) => optionId === 'always') ? 'always' : 'once'));
    await agent.text('browser_click', { target: '#link' });
    await agent.text('browser_snapshot', { filename: 'seen.md' });
    await agent.text('browser_navigate', { url: `${stage.otherUrl}/files.html` });
    await agent.text(UPLOAD, { target: '#many', paths: [path.join(downloads, 'numbers.csv'), 'seen.md'] });

    await expect
      .poll(() => agent.text('browser_snapshot'))
      .toMatch(/many got 2: numbers\.csv text\/csv \d+: .*; seen\.md text\/markdown \d+: /s);
    await agent.text(UPLOAD, { target: '#one', paths: ['seen.md'] });
    const cards = agent.asked.filter(({ title }) => title.startsWith('Hand files'));
    expect(cards).toHaveLength(2);
    for (const { detail = '' } of cards) expect(detail).toContain(`Careful: this session has saved it from ${stage.url}`);
    expect(cards[0]?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'reject']);

    writeFileSync(path.join(downloads, 'seen.md'), 'another text');
    expect(await agent.error(UPLOAD, { target: '#one', paths: ['seen.md'] })).toMatch(/^INPUT_INVALID: .*it has changed/s);
    writeFileSync(path.join(downloads, 'letter.txt'), 'of the person');
    expect(readdirSync(downloads)).toContain('letter.txt');
    for (const given of ['letter.txt', 'seen.md', 'numbers.csv']) {
      const other = given === 'letter.txt' ? agent : stage.agent();
      expect(await other.error(UPLOAD, { target: '#one', paths: [path.join(downloads, given)] }), given).toMatch(/^FILE_OUTSIDE_PROJECT/);
    }
  });

  test('fills a field inside a frame of another origin', async ({ stage }) => {
    write(stage, 'photo.png', 'pixels');
    const agent = await stage.open(
      `says?text=${encodeURIComponent(`<iframe src="${stage.otherUrl}/files.html" width="600" height="500"></iframe>`)}`,
    );
    // A frame of another site loads in a process of its own, after the page.
    await expect.poll(() => agent.text('browser_snapshot')).toContain('file "Pictures"');
    const target = await agent.ref(/^file "Pictures"/);

    await agent.text(UPLOAD, { target, paths: ['photo.png'] });

    expect(target).toMatch(/^f\d+e/);
    await expect.poll(() => agent.text('browser_snapshot')).toContain('many got 1: photo.png');
    expect(agent.asked[0]?.title).toBe(`Hand files to “Pictures” on ${stage.otherUrl}`);
  });
});
