/** What a project's own files would start or allow, as the card says it that asks for trust. */
import { asItCame, type Said, sayingOf } from './said.ts';

export const FINDINGS = {
  trust_reads:
    'An agent that works here reads these files. They can start programs, change where it sends data, or allow things without asking:',
  trust_end: 'If you do not trust them, no agent is started here and nothing is sent; your next message asks again.',

  // A file, and what it does: one line each.
  within: '  {line}',
  more_in_file: '  … and {count} more: see the file',
  invalid_json: 'it is not valid JSON, but an agent may read it all the same:',
  may_obey: 'a file that an agent may obey or start',
  a_program: 'a program of {chars} characters, which runs when the agent starts',
  a_link: 'a link to {file}',

  // Pieces of a line, between what the file itself says.
  joined: '{first}{rest}',
  starts: ' starts: ',
  changed: ' (changed)',
  is_new: ' (new)',
  scripts: "with the project's own: ",
  not_shown: '(not shown)',
  too_deep: '(nested too deeply to be shown)',
  left_out: ' … {chars} characters … ',
} as const;

/** Says one of the sentences about what a project starts. */
export const finding = sayingOf(FINDINGS);

/** A line in pieces: what the file says, and the words of Pilotfish between. */
export type Pieces = readonly (string | Said)[];

/** The pieces as one. */
export const inOne = (pieces: Pieces): Said => {
  const whole = paired(pieces);
  return typeof whole === 'string' ? asItCame(whole) : whole;
};

/** In pairs, so that a line of many pieces is not nested as deep as it is long. */
const paired = (pieces: Pieces): string | Said => {
  if (pieces.length < 2) return pieces[0] ?? '';
  const half = Math.ceil(pieces.length / 2);
  return finding('joined', { first: paired(pieces.slice(0, half)), rest: paired(pieces.slice(half)) });
};
