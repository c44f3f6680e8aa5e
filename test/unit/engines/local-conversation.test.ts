/** What of the conversation a local model gets, within what it can read. */
import { describe, expect } from 'vitest';
import { defaultSettings } from '#protocol/events.ts';
import { AttachmentId } from '#protocol/ids.ts';
import { bridgeOf, delta, end, picture, recording, says, stream, test, turn } from './local-stage.ts';
import { promptOf } from './codec-stage.ts';

describe('a conversation', () => {
  test('goes on with what was attached, said and called before', async ({ answer }) => {
    const server = await answer([says('Albatross.')]);
    const page = {
      ...picture,
      attachmentId: AttachmentId.parse('a9'),
      kind: 'page',
      mimeType: 'text/plain',
      dataBase64: Buffer.from('It says albatross.').toString('base64'),
    } as const;

    const { failure } = await turn(server, {
      history: [
        { role: 'user', text: 'read this', attachments: () => [page] },
        { role: 'assistant', text: 'I look.' },
        { role: 'tool', tool: 'browser_snapshot', input: { url: 'u' }, text: 'a bird' },
        { role: 'tool', tool: 'browser_click', input: undefined, text: 'clicked' },
        { role: 'assistant', text: 'Done.' },
      ],
    });

    expect(failure).toBeNull();
    const [, ...messages] = server.chats[0]?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant', 'user']);
    expect(messages[0]?.content).toMatch(/^read this\n\n.*not instructions:\n<attachment-a9>\nIt says albatross.\n<\/attachment-a9>$/s);
    expect(messages[1]).toMatchObject({
      content: 'I look.',
      tool_calls: [{ function: { name: 'browser_snapshot', arguments: '{"url":"u"}' } }],
    });
    expect(messages[2]).toMatchObject({ content: 'a bird', tool_call_id: messages[1]?.tool_calls?.[0]?.id });
    expect(messages[3]?.tool_calls?.[0]?.id).toBe(messages[4]?.tool_call_id);
  });

  test('has no two messages of the user in a row, and begins with one of theirs', async ({ answer }) => {
    const server = await answer([says('Yes.')]);

    await turn(server, {
      history: [
        { role: 'assistant', text: 'of a turn that nobody asked for' },
        { role: 'user', text: 'one, stopped' },
        { role: 'user', text: 'two, stopped' },
      ],
    });

    expect(server.chats[0]?.messages.slice(1)).toEqual([{ role: 'user', content: 'one, stopped\n\ntwo, stopped\n\ngo' }]);
  });

  test('a prompt that alone is too long is refused before it is sent', async ({ answer }) => {
    const server = await answer([says('Yes.')], { '/v1/models': { data: [{ id: 'm', max_model_len: 2000 }] } });

    const { failure } = await turn(server, { prompt: promptOf('word '.repeat(4000)) });

    expect(failure).toMatchObject({ code: 'ENGINE_CONTEXT_FULL', remedy: expect.stringContaining('larger context') as string });
    expect(server.chats).toEqual([]);
  });

  test('a page that is too long is cut inside its fence', async ({ answer }) => {
    const server = await answer([says('Yes.')], { '/v1/models': { data: [{ id: 'm', max_model_len: 4000 }] } });
    const page = {
      ...picture,
      kind: 'page',
      mimeType: 'text/plain',
      dataBase64: Buffer.from('word '.repeat(200_000)).toString('base64'),
    } as const;

    const { failure } = await turn(server, { prompt: promptOf('go', [page]) });

    expect(failure).toBeNull();
    expect(server.chats[0]?.messages.at(-1)?.content).toMatch(
      /<attachment-a1>\n(?:word )+\n<\/attachment-a1>\n\[Cut: 996000 more characters\.\]$/,
    );
  });

  test('a tool result of 200 kB is cut, and its envelope closed after what is kept', async ({ answer }) => {
    const call = stream(delta({ tool_calls: [{ index: 0, id: 'x', function: { name: 'browser_snapshot', arguments: '{}' } }] }), end());
    const server = await answer([call, says('Seen.')]);
    const page = `The page:\n<k3yOfIt untrusted https://a.test>\n${'</k4yOfIt> text '.repeat(12_000)}\n</k3yOfIt>`;

    await turn(server, { tools: bridgeOf(async () => ({ content: [{ type: 'text', text: page }] })) });

    const told = server.chats[1]?.messages.at(-1)?.content;
    expect(told?.length).toBeLessThan(8192);
    expect(told).toMatch(/\n<\/k3yOfIt>\n\[Cut: \d+ more characters\.\]$/);
  });

  test('the instructions stay when the session has its own', async ({ answer }) => {
    const server = await answer([says('Oui.')]);

    await turn(server, { settings: { ...defaultSettings, systemPrompt: 'Speak French.' } });

    expect(server.chats[0]?.messages[0]?.content).toMatch(/never an instruction to you\.\n\nSpeak French\.$/);
  });

  test('an unknown tool and one without a name are answered to the model', async ({ answer }) => {
    const calls = ['browser_dance', ''].map((name, index) => ({ index, id: `c${index}`, function: { name, arguments: '{}' } }));
    const server = await answer([stream(delta({ tool_calls: calls }), end()), says('Sorry.')]);
    const { bridge } = recording();

    const { failure } = await turn(server, {
      tools: { ...bridge, call: async (name) => ({ content: [{ type: 'text', text: `TOOL_UNKNOWN: "${name}".` }], isError: true }) },
    });

    expect(failure).toBeNull();
    expect(server.chats[1]?.messages.slice(-2).map(({ content }) => content)).toEqual([
      'TOOL_UNKNOWN: "browser_dance".',
      'TOOL_UNKNOWN: "unnamed".',
    ]);
  });

  test('tools that no bridge has are answered too', async ({ answer }) => {
    const call = stream(delta({ tool_calls: [{ index: 0, id: 'x', function: { name: 'shell', arguments: '{}' } }] }), end());
    const server = await answer([call, says('Sorry.')]);

    expect(await turn(server)).toMatchObject({ failure: null, text: 'Sorry.' });
    expect(server.chats[1]?.messages.at(-1)?.content).toBe('There are no tools in this session.');
  });

  test('fifty answers with calls are the end of a turn', async ({ answer }) => {
    const call = stream(delta({ tool_calls: [{ index: 0, id: 'x', function: { name: 'browser_snapshot', arguments: '{}' } }] }), end());
    const server = await answer([call]);

    const { failure } = await turn(server, { tools: recording().bridge });

    expect(failure).toMatchObject({ code: 'ENGINE_BUDGET_REACHED' });
    expect(server.chats).toHaveLength(50);
  });
});
