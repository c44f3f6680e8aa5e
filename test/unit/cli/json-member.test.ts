import { describe, expect, test } from 'vitest';
import { putMember } from '#companion/cli/json-member.ts';

const put = (text: string): string => putMember(text, ['servers', 'ours'], () => ({ command: 'x', args: ['y'] }));

describe('a member of an object in a file of JSON', () => {
  test.for([
    [
      'is added below the others, of which none is written anew',
      '{\n    // mine\n    "servers": {\n        "a": { "b": [1,2] }\n    }\n}\n',
      '{\n    // mine\n    "servers": {\n        "a": { "b": [1,2] },\n        "ours": {\n            "command": "x",\n            "args": [\n                "y"\n            ]\n        }\n    }\n}\n',
    ],
    [
      'leaves a comment with the member it is about, and the last comma where there was one',
      '{\r\n\t"servers": {\r\n\t\t"a": 1, // about a\r\n\t\t// the end\r\n\t},\r\n}',
      '{\r\n\t"servers": {\r\n\t\t"a": 1, // about a\r\n\t\t"ours": {\r\n\t\t\t"command": "x",\r\n\t\t\t"args": [\r\n\t\t\t\t"y"\r\n\t\t\t]\r\n\t\t},\r\n\t\t// the end\r\n\t},\r\n}',
    ],
    [
      'finds the end of a last member whose comment has a comma and a brace',
      '{ "servers": { "a": 1 /* , } */ } }',
      '{ "servers": { "a": 1, /* , } */ "ours": {"command":"x","args":["y"]} } }',
    ],
    ['stays in the one line of its file', '{"a":1,"servers":{"b":2}}', '{"a":1,"servers":{"b":2, "ours": {"command":"x","args":["y"]}}}'],
    [
      'comes after the comments of an empty object',
      '{\n  "servers": {\n    // none yet }\n  }\n}\n',
      '{\n  "servers": {\n    // none yet }\n    "ours": {\n      "command": "x",\n      "args": [\n        "y"\n      ]\n    }\n  }\n}\n',
    ],
    [
      'brings its object along',
      '{}\n',
      '{\n  "servers": {\n    "ours": {\n      "command": "x",\n      "args": [\n        "y"\n      ]\n    }\n  }\n}\n',
    ],
    [
      'takes the place of an older one',
      '{\n  "servers": {\n    "ours": { "url": "z" }, // old\n    "a": 1\n  }\n}',
      '{\n  "servers": {\n    "ours": {\n      "command": "x",\n      "args": [\n        "y"\n      ]\n    }, // old\n    "a": 1\n  }\n}',
    ],
    [
      'is left as it is written when it says the same',
      '{ "servers": { "ours": { "args": ["y"], /* ! */ "command": "x" } } }',
      '{ "servers": { "ours": { "args": ["y"], /* ! */ "command": "x" } } }',
    ],
  ] as const)('%s', ([, before, after]) => {
    expect(put(before)).toBe(after);
    expect(put(after)).toBe(after);
  });
});
