/** Claude's questions to the user: permission for a call, a choice between answers, a plan to approve. */
import * as z from 'zod';
import { toOption } from '#protocol/answers.ts';
import { argumentLines } from '#protocol/argument-lines.ts';
import type { RequestAnswer, RequestBody, RequestOption, Saying } from '#protocol/requests.ts';
import { Questions, toAnswerTexts, toQuestionRequest } from '#companion/engines/codecs/ask-user.ts';
import { commandOf, oneLine } from '#companion/engines/codecs/tool-title.ts';
import { unifiedFromTexts } from '#companion/engines/codecs/unified-diff.ts';
import type { CanUseTool, PermissionUpdate } from './frames.ts';
import { mcpName, titleOf, toolKindOf } from './tools.ts';

const MAX_DETAIL = 20_000;
const REFUSED = 'The user did not allow this.';

const AskInput = z.looseObject({ questions: Questions });
const PlanInput = z.looseObject({ plan: z.string() });
const EditInput = z.looseObject({ file_path: z.string(), old_string: z.string(), new_string: z.string() });
const FetchInput = z.looseObject({ url: z.string() });
const SearchInput = z.looseObject({ query: z.string() });
const WriteInput = z.looseObject({ file_path: z.string(), content: z.string() });

/** What claude asks, as a card. */
export const toRequest = (ask: CanUseTool, cwd: string): RequestBody => {
  const questions = ask.tool_name === 'AskUserQuestion' ? AskInput.safeParse(ask.input) : undefined;
  if (questions?.success === true) return toQuestionRequest(questions.data.questions);
  const plan = ask.tool_name === 'ExitPlanMode' ? PlanInput.safeParse(ask.input) : undefined;
  if (plan !== undefined) return toPlan(plan.success ? plan.data.plan : '');
  const title = titleOf(ask.tool_name, ask.input, cwd);
  return {
    kind: 'permission',
    title,
    ...sayingOf(ask, title),
    detail: detailOf(ask),
    ...(NOWHERE.has(toolKindOf(ask.tool_name)) ? {} : { where: cwd }),
    options: [toOption('allow', 'allow_once', 'answer_once'), ...sessionOptions(ask, cwd), toOption('reject', 'reject', 'answer_deny')],
  };
};

/** Kinds of tools that do nothing in the project's folder. */
const NOWHERE: ReadonlySet<string> = new Set(['browser', 'fetch']);

/** What a call does, for a sentence in the person's language. */
const sayingOf = ({ tool_name: name, input }: CanUseTool, title: string): { saying?: Saying } => {
  const fetched = name === 'WebFetch' ? FetchInput.safeParse(input) : undefined;
  if (fetched?.success === true) return { saying: { code: 'fetch', values: { url: oneLine(fetched.data.url) } } };
  const searched = name === 'WebSearch' ? SearchInput.safeParse(input) : undefined;
  if (searched?.success === true) return { saying: { code: 'web_search', values: { query: oneLine(searched.data.query) } } };
  const kind = toolKindOf(name);
  // A command is its own sentence, and a call to the browser has one of its tool.
  if (kind === 'browser' || (kind === 'execute' && commandOf(input) !== undefined)) return {};
  const mcp = mcpName(name);
  if (mcp !== null) return { saying: { code: 'mcp_tool', values: { name: oneLine(mcp.tool), server: oneLine(mcp.server) } } };
  return { saying: { code: 'agent_tool', values: { name: oneLine(name), target: title.slice(name.length).trimStart() } } };
};

/** The user's answer in claude's words: what goes into the control response. */
export const toDecision = (ask: CanUseTool, answer: RequestAnswer): Record<string, unknown> => {
  if (answer.optionId === 'reject') return { behavior: 'deny', message: answer.text ?? REFUSED };
  if (ask.tool_name === 'AskUserQuestion') {
    return { behavior: 'allow', updatedInput: { ...ask.input, answers: Object.fromEntries(toAnswerTexts(answer)) } };
  }
  if (answer.optionId === 'edits') return allow(ask, { type: 'setMode', mode: 'acceptEdits', destination: 'session' });
  const chosen = (ask.permission_suggestions ?? []).find((_, index) => answer.optionId === optionIdOf(index));
  return chosen === undefined ? allow(ask) : allow(ask, { ...chosen, destination: 'session' });
};

/**
 * Only the suggestion that was chosen, and for this session only: sent back as it came, it would be written into the
 * project's settings, and all of them together would also switch the mode.
 */
const allow = (ask: CanUseTool, update?: Record<string, unknown>): Record<string, unknown> => ({
  behavior: 'allow',
  updatedInput: ask.input,
  ...(update === undefined ? {} : { updatedPermissions: [update] }),
});

const optionIdOf = (index: number): string => `session:${index}`;

const sessionOptions = (ask: CanUseTool, cwd: string): RequestOption[] =>
  (ask.permission_suggestions ?? []).flatMap((suggestion, index): RequestOption[] => {
    const option = sessionOption(optionIdOf(index), suggestion, ask, cwd);
    return option === null ? [] : [option];
  });

/** Null for suggestions that are never offered: rules that forbid or leave out a part of the command, and modes in which claude no longer asks. */
const sessionOption = (optionId: string, suggestion: PermissionUpdate, ask: CanUseTool, cwd: string): RequestOption | null => {
  if (suggestion.type === 'addRules' && suggestion.behavior === 'allow' && suggestion.rules) {
    const command = commandOf(ask.input);
    const contents = suggestion.rules.flatMap(({ ruleContent }) => (typeof ruleContent === 'string' ? [ruleContent] : []));
    if (command !== undefined && contents.length > 0 && !coversWhole(command, contents)) return null;
    const rules = suggestion.rules.map(({ toolName, ruleContent }) => ruleContent ?? titleOf(toolName, undefined, cwd)).join(', ');
    return toOption(optionId, 'allow_session', 'rules', { rules });
  }
  // Claude also suggests the project's own folder, which would change nothing.
  if (suggestion.type === 'addDirectories' && suggestion.directories && !suggestion.directories.includes(cwd)) {
    const folders = suggestion.directories.join(', ');
    return toOption(optionId, 'allow_session', 'folders', { folders });
  }
  return suggestion.type === 'setMode' && suggestion.mode === 'acceptEdits' ? toOption(optionId, 'allow_session', 'answer_edits') : null;
};

/**
 * Whether rules speak of every part of a command. Of a compound one claude suggests rules for those parts only that it would
 * ask about, and a person who reads `exit 3` would not know for what else it was. Where quotation marks or substitutions
 * make the parts uncertain, nothing is offered.
 */
const coversWhole = (command: string, rules: readonly string[]): boolean => {
  if (rules.includes(command.trim())) return true;
  if (/[`(]/.test(command)) return false;
  const beginnings = rules.filter((rule) => /[:\s]\*$/.test(rule)).map((rule) => rule.slice(0, -2));
  const isCovered = (part: string): boolean =>
    rules.includes(part) || beginnings.some((beginning) => part === beginning || part.startsWith(`${beginning} `));
  return command.split(/[;|&\n]+/).every((part) => part.trim() === '' || isCovered(part.trim()));
};

const toPlan = (plan: string): RequestBody => ({
  kind: 'plan',
  title: 'Carry out this plan?',
  saying: { code: 'plan', values: {} },
  detail: plan.slice(0, MAX_DETAIL),
  options: [
    toOption('allow', 'allow_once', 'answer_plan_ask'),
    toOption('edits', 'allow_session', 'answer_plan_edits'),
    toOption('reject', 'reject', 'answer_plan_no'),
  ],
});

const detailOf = ({ input }: CanUseTool): string => {
  const edit = EditInput.safeParse(input);
  const write = WriteInput.safeParse(input);
  const detail = edit.success
    ? unifiedFromTexts(edit.data.file_path, edit.data.old_string, edit.data.new_string, { isFragment: true })
    : write.success
      ? unifiedFromTexts(write.data.file_path, null, write.data.content)
      : (commandOf(input) ?? argumentLines(input));
  return detail.slice(0, MAX_DETAIL);
};
