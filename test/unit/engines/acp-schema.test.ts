/** What the protocol's own types allow, the codec's schemas take: a newer SDK that says otherwise does not compile here. */
import type * as acp from '@agentclientprotocol/sdk';
import { expectTypeOf, test } from 'vitest';
import type * as z from 'zod';
import type {
  InitializeAnswer,
  Permission,
  PromptAnswer,
  SessionAnswer,
  SessionUpdate,
  ToolUpdate,
  updates,
} from '#companion/engines/acp/schema.ts';

type Kind<K extends acp.SessionUpdate['sessionUpdate']> = Extract<acp.SessionUpdate, { sessionUpdate: K }>;

test('every answer and update of the protocol is one that the codec takes', () => {
  expectTypeOf<acp.InitializeResponse>().toExtend<z.input<typeof InitializeAnswer>>();
  expectTypeOf<acp.NewSessionResponse>().toExtend<z.input<typeof SessionAnswer>>();
  expectTypeOf<acp.PromptResponse>().toExtend<z.input<typeof PromptAnswer>>();
  expectTypeOf<acp.RequestPermissionRequest>().toExtend<z.input<typeof Permission>>();
  expectTypeOf<acp.SessionNotification>().toExtend<z.input<typeof SessionUpdate>>();
  expectTypeOf<Kind<'tool_call'>>().toExtend<z.input<typeof ToolUpdate>>();
  expectTypeOf<Kind<'tool_call_update'>>().toExtend<z.input<typeof ToolUpdate>>();
  expectTypeOf<Kind<'agent_message_chunk'>>().toExtend<z.input<typeof updates.agent_message_chunk>>();
  expectTypeOf<Kind<'plan'>>().toExtend<z.input<typeof updates.plan>>();
  expectTypeOf<Kind<'current_mode_update'>>().toExtend<z.input<typeof updates.current_mode_update>>();
});
