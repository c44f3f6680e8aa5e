import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { BLOT, isLikelySecret, redactArguments, Redactor, secretsIn, secretsInArguments, secretsSetByHand } from '#companion/lib/redact.ts';
import { cpuTimeMs } from '#test/fixtures/cpu-time.ts';
import { createRandom } from '#test/fixtures/random.ts';

/** Ten secrets of different forms. */
const PLANTED = [
  'sk-ant-api03-abcdefghijklmnop',
  'hunter2',
  's3cret',
  'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  'p@ss/w:rd"x\\y',
  'eyJhbGciOi.eyJzdWIiOi.SflKxwRJ',
  'correct horse battery',
  'ключ-пароль',
  'AKIAIOSFODNN7EXAMPLE',
  'aaaaaaab',
];

describe('a variable that a person has set by hand', () => {
  /** Blotting such a value out would take words out of every text, and hide nothing that is not guessed. */
  const ORDINARY = {
    NODE_ENV: 'production',
    STAGE: 'pre-production',
    GREETING: 'welcome to this server',
    LOG_LEVEL: 'debug2',
    RETRIES: '100000',
    BIND: '127.0.0.1:8080',
    DATA: '/var/lib/server',
    HOMEPAGE: 'https://example.org/index.html',
    AUTH: 'required',
    API_KEY: 'development',
    DB_PASSWORD: 'default',
    COOKIES: 'enabled',
    Authorization: 'Bearer disabled',
    SERVER_TOKEN: 'undefined',
  };

  test.for(Object.entries(ORDINARY))('is no secret when it is an ordinary word or setting: %s=%s', ([name, value]) => {
    expect(secretsSetByHand({ [name]: value })).toEqual([]);
  });

  test.for(PLANTED)('is a secret by its name, and most are without: %s', (secret) => {
    const isOfWords = /^\p{L}+(?:[- ]\p{L}+)*$/u.test(secret);

    expect(secretsSetByHand({ DB_PASSWORD: secret })).toContain(secret);
    expect(secretsSetByHand({ Authorization: `Bearer ${secret}` })).toContain(secret);
    if (!isOfWords) expect(secretsSetByHand({ ACME: secret })).toContain(secret);
  });

  test('is a secret though an ordinary word begins or ends it, or is written within it', () => {
    for (const secret of ['production1', 'xproduction', 'pro-duction7', 'developmentkey9'])
      expect(secretsSetByHand({ API_KEY: secret, ACME: secret })).toContain(secret);
  });
});

describe('a redactor', () => {
  const redactor = new Redactor(PLANTED);

  test('costs a new run little, though a hundred runs before it have brought a secret each', () => {
    const line = JSON.stringify({ text: 'nothing that is secret, '.repeat(20) });
    const known: string[] = [];
    const startedAt = cpuTimeMs();

    for (let run = 0; run < 100; run += 1) {
      known.push(randomBytes(32).toString('base64url'));
      const ofRun = new Redactor(known);
      for (let count = 0; count < 20; count += 1) expect(ofRun.line(line)).toBe(line);
    }

    // Patterns for the beginnings of all secrets would take two seconds.
    expect(cpuTimeMs() - startedAt).toBeLessThan(1_000);
  });

  test('finds each secret in plain text, in JSON, in JSON within JSON and in addresses', () => {
    for (const secret of PLANTED) {
      const forms = [
        secret,
        JSON.stringify(secret),
        JSON.stringify(JSON.stringify({ value: secret })),
        `https://x/?q=${encodeURIComponent(secret)}`,
      ];
      for (const form of forms) {
        const clean = redactor.text(`before ${form} after`);
        expect(clean).toContain(BLOT);
        expect(clean).not.toContain(secret);
        expect(clean).toMatch(/^before .* after$/s);
      }
    }
  });

  test('leaves ordinary text alone, and what is shorter than six characters', () => {
    const text = 'A hunter and a secret key went for a walk: aaaaaaa.';

    expect(redactor.text(text)).toBe(text);
    expect(new Redactor(['abc', '', 'hello']).text('abc hello')).toBe('abc hello');
  });

  test('goes through a value, its keys too, and leaves ids and kinds, except in what a tool was given', () => {
    const value = {
      itemId: 'hunter2',
      kind: 'hunter2',
      text: 'it is hunter2',
      deep: [{ hunter2: 'x', more: 'hunter2' }],
      n: 1,
      nothing: null,
      input: { userId: 'hunter2', nested: [{ kind: 'hunter2' }] },
    };

    expect(redactor.value(value)).toEqual({
      itemId: 'hunter2',
      kind: 'hunter2',
      text: `it is ${BLOT}`,
      deep: [{ [BLOT]: 'x', more: BLOT }],
      n: 1,
      nothing: null,
      input: { userId: BLOT, nested: [{ kind: BLOT }] },
    });
  });
});

/** What a stream gives out of the text, which is cut at random. */
const inPieces = (redactor: Redactor, text: string, random: (below: number) => number): string => {
  const stream = redactor.stream();
  let given = '';
  for (let at = 0; at < text.length;) {
    const length = 1 + random(6);
    given += stream.push(text.slice(at, at + length));
    at += length;
  }
  return given + stream.end();
};

describe('a text in pieces', () => {
  const redactor = new Redactor(PLANTED);

  test('gives out no secret, however it is cut, and loses nothing else', () => {
    const random = createRandom(9);
    for (let round = 0; round < 2000; round += 1) {
      const secret = PLANTED[round % PLANTED.length] ?? '';
      const text = `Take ${secret}, and then ${secret}${secret} aaaaaaaaab s3cre`;
      const given = inPieces(redactor, text, random);

      for (const each of PLANTED) expect(given).not.toContain(each);
      expect(given.startsWith('Take [secret], and then [secret][secret] ')).toBe(true);
      expect(given.endsWith(' s3cre')).toBe(true);
    }
  });

  test('gives nothing out of a secret that begins with another one', () => {
    const stream = new Redactor(['hunter2', 'hunter2-and-more']).stream();

    expect(['hunt', 'er2', '-and', '-more', ' hunter2', ' x'].map((piece) => stream.push(piece)).join('') + stream.end()).toBe(
      `${BLOT} ${BLOT} x`,
    );
  });

  test('that ends within a secret does not give out its larger part', () => {
    const stream = redactor.stream();

    expect(stream.push('It is sk-ant-api03-abcdefgh') + stream.end()).toBe(`It is ${BLOT}`);
  });

  test('shows in a pause the few letters with which a long secret begins, and still finds it', () => {
    const stream = new Redactor(['wxyz-secret-of-20-chars', 'wolves']).stream();
    const said = (pieces: (string | null)[]): string =>
      pieces.map((piece) => (piece === null ? stream.pause() : stream.push(piece))).join('|') + stream.end();

    expect(said(['no', 'wx', null])).toBe('no||wx');
    expect(said(['wx', null, 'a long way', 'wx', null, null, 'yz-'])).toBe('|wx|a long way||wx||yz-');
    expect(said(['now wx', null, 'yz-se', null, 'cret-of-20-chars', ' on'])).toBe(`now |wx|||${BLOT}| on`);
    expect(said(['wx', null, 'wxyz-secret-of-20-charsw', null])).toBe(`|wx|${BLOT}|w`);
    expect(said(['wx', null, 'yz-secret'])).toBe(`|wx|${BLOT}`);
  });

  test('shows in a pause nothing of a secret that is short', () => {
    const stream = new Redactor(['wxyz-secret-of-20-chars', 'wolves']).stream();

    expect(stream.push('now') + stream.pause()).toBe('no');
    expect(stream.push('olves') + stream.end()).toBe(BLOT);
  });

  test('is given out at once when nothing in it may be a secret', () => {
    const stream = redactor.stream();

    expect(stream.push('Nothing to hide. ')).toBe('Nothing to hide. ');
    expect(stream.isHolding).toBe(false);
  });

  test('costs its length: ten thousand pieces with fifty secrets take less than a second of work', () => {
    const many = new Redactor(Array.from({ length: 50 }, (_, index) => `secret-number-${index}-${'x'.repeat(200)}`));
    const stream = many.stream();
    const startedAt = cpuTimeMs();

    for (let piece = 0; piece < 10_000; piece += 1) stream.push('word and word ');

    expect(cpuTimeMs() - startedAt).toBeLessThan(3000);
  });
});

describe('a secret in disguise', () => {
  const redactor = new Redactor(PLANTED);
  const hex = (code: number, width: number): string => code.toString(16).padStart(width, '0');
  const percent = (text: string): string => Array.from(Buffer.from(text), (byte) => `%${hex(byte, 2)}`).join('');
  const numbered = (text: string): string => Array.from({ length: text.length }, (_, at) => `\\u${hex(text.charCodeAt(at), 4)}`).join('');
  /** Letters of ASCII by their numbers, the others as they are. */
  const ofPlain = (secret: string, written: (code: number) => string): string =>
    Array.from(secret, (letter) => (letter < '\u007f' ? written(letter.charCodeAt(0)) : letter)).join('');
  const DISGUISES: readonly (readonly [string, (secret: string) => string])[] = [
    ['signs of no width between its letters', (secret) => Array.from(secret).join('\u200b\u2060\u{e0041}')],
    [
      'such signs as JSON has them',
      (secret) => JSON.stringify(Array.from(secret).join('\u200b')).slice(1, -1).replaceAll('\u200b', '\\u200b'),
    ],
    ['each letter as in an address', percent],
    ['the same in capitals', (secret) => percent(secret).toUpperCase()],
    [
      'every other letter as in an address',
      (secret) =>
        Array.from(secret)
          .map((letter, at) => (at % 2 === 0 ? percent(letter) : letter))
          .join(''),
    ],
    ['letters by their numbers, as in JSON', numbered],
    ['the same within JSON', (secret) => JSON.stringify(numbered(secret)).slice(1, -1)],
    ['letters as markup has them', (secret) => Array.from(secret, (letter) => `&#${letter.codePointAt(0)};`).join('')],
    ['the same in hexadecimal', (secret) => Array.from(secret, (letter) => `&#x00${hex(letter.codePointAt(0) ?? 0, 2)};`).join('')],
    [
      'the signs of markup by their names',
      (secret) =>
        secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replace('s', '&#115;').replace('a', '&#97;').replace('к', '&#x43a;'),
    ],
    ['its letters as programs escape them', (secret) => ofPlain(secret, (code) => `\\x${hex(code, 2)}`)],
    ['the same with braces', (secret) => ofPlain(secret, (code) => `\\u{${hex(code, 1)}}`)],
    ['the same in eight digits', (secret) => ofPlain(secret, (code) => `\\U${hex(code, 8)}`)],
    ['the same in octal', (secret) => ofPlain(secret, (code) => `\\${code.toString(8).padStart(3, '0')}`)],
    ['each letter twice as in an address', (secret) => ofPlain(secret, (code) => `%25${hex(code, 2)}`)],
    ['each letter as addresses had it once', (secret) => ofPlain(secret, (code) => `%u${hex(code, 4)}`)],
    [
      'names of markup for its signs',
      (secret) => secret.replaceAll('-', '&hyphen;').replaceAll('&', '&amp;').replaceAll('&amp;hyphen;', '&hyphen;'),
    ],
    [
      'a choice of letters and a colour of one sign',
      (secret) => `${secret.slice(0, 2)}\u001b(B${secret.slice(2, 4)}\u009b31m${secret.slice(4)}`,
    ],
    ['a colour and a number', (secret) => `${secret.slice(0, 2)}\u001b[1m${percent(secret.slice(2, 4))}${secret.slice(4)}`],
  ];

  test.for(DISGUISES)('is found: %s', ([, disguise]) => {
    for (const secret of PLANTED) {
      const text = `Take ${disguise(secret)}, 100% of \\u and %`;

      expect(redactor.text(text)).toBe(`Take ${BLOT}, 100% of \\u and %`);
      expect(JSON.parse(redactor.line(JSON.stringify({ text }))).text).toBe(`Take ${BLOT}, 100% of \\u and %`);
      expect(redactor.value({ [disguise(secret)]: [text] })).toEqual({ [BLOT]: [`Take ${BLOT}, 100% of \\u and %`] });
    }
  });

  test.for(DISGUISES)('is given out by no stream, however it is cut, and nothing else is lost: %s', ([, disguise]) => {
    const random = createRandom(21);
    for (let round = 0; round < 100; round += 1) {
      const secret = PLANTED[round % PLANTED.length] ?? '';
      const text = `Take 5% \u200bof${disguise(secret)}, \\u200b${disguise(secret)} 100%`;

      expect(inPieces(redactor, text, random)).toBe(`Take 5% \u200bof${BLOT}, \\u200b${BLOT} 100%`);
    }
  });

  test('is found in base64, by itself and within more, as a header has it', () => {
    for (const secret of PLANTED) {
      for (const more of ['', 'u', 'me:', 'user:']) {
        for (const kind of ['base64', 'base64url'] as const) {
          const encoded = Buffer.from(`${more}${secret}${more}`).toString(kind);
          const clean = redactor.text(`Authorization: Basic ${encoded}`);
          const kept = clean.slice('Authorization: Basic '.length).replace(BLOT, '');

          expect(clean).toContain(BLOT);
          // At most a letter at each end stands for a part of the secret, and for its neighbour.
          expect(kept.replaceAll('=', '').length).toBeLessThanOrEqual(Math.ceil((more.length * 8) / 6) * 2 + 2);
          expect(redactor.stream().push(`Basic ${encoded}`)).toContain(BLOT);
        }
      }
    }
  });

  test('is found in the digits of its bytes', () => {
    for (const secret of PLANTED) {
      const digits = Buffer.from(`DB=${secret}\n`).toString('hex');

      expect(redactor.text(`${digits} ${digits.toUpperCase()}`)).toBe(`44423d${BLOT}0a 44423D${BLOT}0A`);
    }
  });

  test.each([
    [
      `it's_a"$mall*key`,
      ['it\'s_a\\"\\$mall*key', String.raw`it'\''s_a"$mall*key`, String.raw`it\'s_a\"\$mall\*key`, String.raw`it's\_a"$mall\*key`],
    ],
    ['sk_live_4242-xyz', [String.raw`sk\_live\_4242-xyz`, String.raw`sk\_live\_4242\-xyz`]],
  ])('is found as a shell and as Markdown write it: %s', (secret, written) => {
    const own = new Redactor([secret]);

    for (const text of written) {
      expect(own.text(`Key: ${text}.`)).toBe(`Key: ${BLOT}.`);
      expect(own.line(JSON.stringify({ text }))).toBe(`{"text":"${BLOT}"}`);
    }
  });

  test('is found in bytes that a program prints apart, as a list, over lines of base64 and as letters of two bytes', () => {
    for (const secret of PLANTED) {
      const bytes = Buffer.from(`KEY=${secret}\n`);
      const apart = bytes.toString('hex').match(/../g) ?? [];
      const mime = (bytes.toString('base64') + Buffer.from('more of it '.repeat(20)).toString('base64')).replaceAll(/.{76}/g, '$&\n');
      const written = [
        apart.join(' '),
        apart.join(':'),
        apart.map((byte) => `0x${byte}`).join(', '),
        bytes.toString('hex').replaceAll(/.{4}/g, '$& '),
        JSON.stringify([...bytes]),
        JSON.stringify([...bytes], null, 2),
        mime,
        Buffer.from(`$key = ${secret}`, 'utf16le').toString('base64'),
      ];

      for (const text of written) {
        expect(redactor.text(`<Buffer ${text}>`), text).toContain(BLOT);
        expect(redactor.line(JSON.stringify({ text })), text).toContain(BLOT);
      }
    }
    const other = '12, 13, 14, 15, 16, 17 and be ad fe ed 10:20:30:40 QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=';
    expect(redactor.text(other)).toBe(other);
  });

  test('shows at most three letters at its start when its base64 or its digits come in pieces, and other words come at once', () => {
    const random = createRandom(5);
    for (let round = 0; round < 300; round += 1) {
      const secret = PLANTED[round % PLANTED.length] ?? '';
      const encoded = Buffer.from(`${'me:'.slice(0, round % 4)}${secret}`).toString((['base64', 'base64url', 'hex'] as const)[round % 3]);

      const told = inPieces(redactor, `It is ${encoded} and`, random);

      const left = told.replace(/^It is | and$/g, '').split(BLOT);
      expect(left).toHaveLength(2);
      // What was encoded before it, letters that are half of a neighbour, and three.
      expect(left.map((part) => part.length <= 3 + 6)).toEqual([true, true]);
    }
    const stream = redactor.stream();
    for (const word of ['c2', ' aHU', ' YW', 'x', ' 73', ' U']) expect(stream.push(word)).toBe(word);
    expect(stream.isHolding).toBe(false);
  });

  test('may hold what looks like a disguise itself', () => {
    for (const secret of [
      'abc%41def',
      'C:\\u0041bc',
      'ends-with-%',
      'ends-with-%c',
      'ends-with-\\',
      'a&amp;b&#x41;c',
      'ends-with-&',
      'ends-with-&#1',
      'of\u200bboth',
    ]) {
      const own = new Redactor([secret]);
      const stream = own.stream();

      expect(own.text(`Take ${secret}.`)).toBe(`Take ${BLOT}.`);
      expect(own.text(`Take ${secret}`)).toBe(`Take ${BLOT}`);
      expect(
        Array.from(`Take ${secret}`)
          .map((letter) => stream.push(letter))
          .join('') + stream.end(),
      ).toBe(`Take ${BLOT}`);
    }
  });

  test('may have a percent sign, which an address has as %25', () => {
    for (const secret of ['pa%ss&word', 'percent%', '100%sure'])
      expect(new Redactor([secret]).text(`?key=${encodeURIComponent(secret)}&`)).toBe(`?key=${BLOT}&`);
  });

  test('costs its length, whatever begins and never ends', { tags: 'whole' }, () => {
    const hostile = [
      '%',
      '%c',
      '%c3',
      '%e2%80',
      '\\',
      '\\u',
      '\\u00',
      '\u200b',
      '%68',
      '\\u0068',
      'h\u200b',
      '&',
      '&#',
      '&#x6',
      '&#104;',
      'aHVu',
      '54 72 ',
      '12, ',
      'a\\n',
      '\\x41',
      '%25',
    ].map((piece) => piece.repeat(100_000));

    const before = cpuTimeMs();
    for (const text of hostile) {
      redactor.text(text);
      redactor.split(text);
    }

    expect(cpuTimeMs() - before).toBeLessThan(10_000);
  });
});

describe('a text with colours of a terminal', () => {
  const redactor = new Redactor(PLANTED);
  /** As programs end and begin a colour in the midst of a word, and a link of a terminal. */
  const colours = ['\u001b[01;31m\u001b[K', '\u001b[m', '\u001b[38;2;1;2;3m', '\u001b]8;;https://a.example\u0007', '\u001b]8;;\u001b\\'];
  const coloured = (text: string, random: (limit: number) => number): string =>
    Array.from(text, (letter) => (random(3) === 0 ? `${colours[random(colours.length)]}${letter}` : letter)).join('');
  const bare = (text: string): string =>
    colours.reduce((rest, colour) => rest.replaceAll(colour, ''), text.replaceAll(/\p{Cc}\[(?:32|0)m/gu, ''));

  test('has no secret, as a text, within JSON, within JSON in JSON, and in a value, and what is not secret keeps its colours', () => {
    const random = createRandom(11);
    for (let round = 0; round < 300; round += 1) {
      const secret = PLANTED[round % PLANTED.length] ?? '';
      const text = `Take ${coloured(secret, random)}, \u001b[32mgreen\u001b[0m`;
      const inJson = JSON.stringify({ text });
      const twice = JSON.stringify({ output: inJson });

      expect(bare(redactor.text(text))).toBe(`Take ${BLOT}, green`);
      expect(redactor.text(text).endsWith(', \u001b[32mgreen\u001b[0m')).toBe(true);
      expect(bare(String(JSON.parse(redactor.line(inJson)).text))).toBe(`Take ${BLOT}, green`);
      expect(bare(String(JSON.parse(JSON.parse(redactor.text(twice)).output).text))).toBe(`Take ${BLOT}, green`);
      expect(bare(redactor.value({ text }).text)).toBe(`Take ${BLOT}, green`);
    }
  });

  test('gives out no secret in pieces, however it is cut, and loses nothing else', () => {
    const random = createRandom(12);
    for (let round = 0; round < 1000; round += 1) {
      const secret = PLANTED[round % PLANTED.length] ?? '';
      const text = `Take ${coloured(secret, random)}, \u001b[32mgreen\u001b[0m and ${coloured(secret, random)}.`;
      const given = inPieces(redactor, text, random);

      expect(bare(given)).toBe(`Take ${BLOT}, green and ${BLOT}.`);
      expect(given).toContain(', \u001b[32mgreen\u001b[0m and ');
    }
  });

  test('costs its length, whatever begins in it and never ends', () => {
    const hostile = ['\u001b[', '\u001b]', '\\', '\\\\u001b', '\u001b[0;', '\\u001b]x', '\u001b[1mh'].map((piece) => piece.repeat(100_000));

    const before = cpuTimeMs();
    for (const text of hostile) redactor.text(text);

    expect(cpuTimeMs() - before).toBeLessThan(5000);
  });
});

describe('secrets among variables and arguments', () => {
  test("do not take the shell's own folders for passwords", () => {
    expect(secretsIn({ PWD: '/home/me/project', OLDPWD: '/home/me', DB_PWD: 'hunter2222', pwd: 'hunter3333' })).toEqual([
      'hunter2222',
      'hunter3333',
    ]);
  });

  test('are found by name, by form, and as passwords in addresses', () => {
    const variables = {
      OPENAI_API_KEY: 'first-value',
      DB_PASSWORD: 'second',
      OTHER: 'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
      DATABASE_URL: 'postgres://me:third-one@host/db',
      Authorization: 'Bearer fourth-value',
      SERVICE: 'https://host/mcp?api_key=fifth-value&x=1',
      HOME: '/home/me',
      LANG: 'en_US.UTF-8',
      ANTHROPIC_MODEL: 'claude-sonnet-4-5',
    };

    expect(secretsIn(variables)).toEqual([
      'first-value',
      'second',
      'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
      'third-one',
      'fourth-value',
      'fifth-value',
    ]);
  });

  test('are found behind options, in assignments and in addresses', () => {
    const words = [
      '-y',
      'server',
      '--api-key',
      'first-value',
      '--token=second-value',
      'MY_SECRET=third-value',
      'https://u:fourth@h/',
      '--port',
      '8080',
    ];

    expect(secretsInArguments(words)).toEqual(['first-value', 'second-value', 'third-value', 'fourth']);
  });

  test('are told from what a person has to see before they trust it', () => {
    const shown = {
      NODE_OPTIONS: '--require ./x1.js',
      BASH_ENV: 'x12345',
      LD_PRELOAD: 'evil99.so',
      BASE_URL: 'https://evil1.example',
      MODE: 'plain',
    };

    expect(Object.entries(shown).filter(([name, value]) => isLikelySecret(name, value))).toEqual([]);
    expect(isLikelySecret('ANY_NAME', 'mcp-env-12345')).toBe(true);
    expect(redactArguments(['run', '--api-key', 'first-value', './x.js'])).toEqual(['run', '--api-key', BLOT, './x.js']);
  });
});
