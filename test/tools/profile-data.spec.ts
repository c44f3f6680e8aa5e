import { expect, test as base } from 'vitest';
import { isWhole } from '#test/fixtures/whole.ts';
import { currentTab, startPlainStage, type AgentStage } from './tool-stage.ts';

/** The whole figure with `npm run test:whole`. */
const ROUNDS = isWhole ? 20 : 2;

const test = base.extend<{ stage: AgentStage }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  stage: async ({}, use) => {
    const stage = await startPlainStage(1, [], { hasRights: true });
    await use(stage);
    await stage.close();
  },
});

test('clipboard, bookmarks and history are used, each call with a yes', { tags: 'whole' }, async ({ stage }) => {
  const agent = await stage.open('form.html');

  expect(await agent.text('browser_clipboard', { action: 'write', text: 'from the agent' })).toBe('14 characters are in the clipboard.');
  expect(await agent.text('browser_clipboard', { action: 'read' })).toMatch(
    /^The clipboard holds:\n<\w{7} untrusted [^>]*>\nfrom the agent\n/,
  );
  expect(await agent.error('browser_clipboard', { action: 'write' })).toMatch(/"text" is missing/);

  const url = `${stage.url}/form.html`;
  expect(await agent.error('browser_bookmarks', { action: 'add', url, folder: 'Reading' })).toMatch(/no such folder/);
  expect(await agent.text('browser_bookmarks', { action: 'add', url, title: 'The form', folder: 'Reading', createFolder: true })).toMatch(
    /^Added as bookmark \d+\.$/,
  );
  const found = await agent.text('browser_bookmarks', { action: 'search', query: 'the form' });
  expect(found).toMatch(/^1 bookmark\.\n<\w{7} untrusted [\s\S]*- \d+ "The form" \S+\/form\.html in "Reading"/);
  expect(await agent.text('browser_bookmarks', { action: 'search', folder: 'Reading' })).toContain('The form');
  const keyed = `${stage.url}/shop.html?reset_token=s3cr3t-of-ann`;
  await agent.text('browser_bookmarks', { action: 'add', url: keyed, title: 'Reset' });
  await agent.text('browser_navigate', { url: keyed });
  expect(await agent.text('browser_bookmarks', { action: 'search', query: 'reset' })).toMatch(/shop\.html\?reset_token=\[secret\] in/);
  await expect.poll(() => agent.text('browser_history', { text: 'reset_token' })).toContain('shop.html?reset_token=[secret] (');
  const [, keyedId = ''] = /- (\d+) "Reset"/.exec(await agent.text('browser_bookmarks', { action: 'search', query: 'reset' })) ?? [];
  await agent.text('browser_bookmarks', { action: 'delete', id: keyedId });
  expect(agent.asked.at(-1)?.detail).toMatch(/^Bookmark: "Reset" \S+\/shop\.html\?reset_token=\[secret\] in "/);
  await agent.text('browser_navigate', { url });
  expect(await agent.error('browser_bookmarks', { action: 'add', url: 'javascript:alert(1)' })).toMatch(/http or https/);
  expect(await agent.text('browser_bookmarks', { action: 'delete', url })).toBe('Deleted it.');
  expect(await agent.text('browser_bookmarks', { action: 'search', query: 'the form' })).toBe('No bookmark fits.');
  expect(await agent.text('browser_bookmarks', { action: 'delete', url })).toMatch(/nothing was deleted/);

  await expect.poll(() => agent.text('browser_history', { text: 'form' })).toMatch(/\/form\.html \(\d+ visits?\)/);
  expect(await agent.text('browser_history', { text: 'form', startTime: '2 weeks ago', endTime: '1 week ago' })).toBe('No page fits.');
  expect(await agent.text('browser_history', { text: 'form', excludeCurrentTabs: true })).toBe('No page fits.');
  await agent.text('browser_navigate', { url: `${stage.otherUrl}/form.html` });
  await agent.text('browser_bookmarks', { action: 'add', url: `${stage.otherUrl}/form.html`, title: 'The other form' });
  stage.sites.set('127.0.0.1', 'never');
  await agent.text('browser_bookmarks', { action: 'add', url, title: 'The closed form' });
  expect(await agent.text('browser_bookmarks', { action: 'delete', url })).toMatch(/nothing was deleted/);
  await expect.poll(() => agent.text('browser_history', { text: 'form', maxResults: 1 })).toMatch(/^1 page[\s\S]*localhost:/);
  expect(await agent.text('browser_history', { text: 'form' })).not.toContain('127.0.0.1');
  expect(await agent.text('browser_bookmarks', { action: 'search', query: 'form' })).toMatch(/^1 bookmark\.[\s\S]*"The other form"/);
  expect(await agent.error('browser_history', { startTime: 'soon' })).toMatch(/"startTime" is a date/);

  expect(agent.asked.every(({ options }) => options.map(({ optionId }) => optionId).join() === 'once,reject')).toBe(true);
  expect(agent.asked.find(({ title }) => title.startsWith('Search your browsing history'))?.detail).toContain(
    'Time: from a day ago to now',
  );
});

/** Takes the focus, and whatever comes to a clipboard, as often as it can. */
const GRASPING = `<title>0</title><textarea id="field"></textarea><script>
  const take = (text) => { if (text) document.title = 'Got ' + text; };
  for (const type of ['copy', 'cut', 'paste']) addEventListener(type, (event) => {
    document.title = 'Heard ' + type;
    event.clipboardData?.setData('text/plain', 'forged');
    event.preventDefault();
  }, true);
  setInterval(() => {
    window.focus();
    field.focus();
    document.execCommand('paste');
    document.execCommand('copy');
    take(field.value);
    navigator.clipboard?.readText().then(take, () => {});
    navigator.clipboard?.writeText('forged').catch(() => {});
  }, 1);
</script>`;

test('the clipboard is met by no page, whatever it does with the focus', { tags: 'whole' }, async ({ stage }) => {
  const agent = stage.agent();
  await agent.text('browser_navigate', { url: `${stage.url}/says?text=${encodeURIComponent(GRASPING)}` });
  const tabId = await currentTab(agent);
  await agent.text('browser_tabs', { action: 'select', tabId });

  for (let round = 0; round < ROUNDS; round += 1) {
    await agent.text('browser_clipboard', { action: 'write', text: `secret-${round}` });
    expect(await agent.text('browser_clipboard', { action: 'read' })).toContain(`\nsecret-${round}\n`);
  }

  expect(await agent.text('browser_snapshot')).toMatch(/"0"\n/);
});
