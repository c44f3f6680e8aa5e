/** One conversation with an ACP agent: one session and its turns. */
import { toCommands } from '#companion/engines/codecs/command-list.ts';
import { cutError, startError, type Exit } from '#companion/engines/codecs/exit.ts';
import { RpcPeer, type RpcId } from '#companion/engines/codecs/json-rpc.ts';
import { OpenItems, say } from '#companion/engines/codecs/open-items.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { SessionSettings } from '#protocol/events.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import type { Codec, Effect, EnginePrompt, LaunchOptions } from '../engine.ts';
import { Asks } from './asks.ts';
import { Handshake, type Session } from './handshake.ts';
import { updates as updateSchemas } from './schema.ts';
import { ServiceCalls } from './service-calls.ts';
import { readOptions, Settings } from './settings.ts';
import type { AcpSpec } from './spec.ts';
import { Turns } from './turns.ts';
import { readUpdate, Updates } from './updates.ts';

export class AcpCodec implements Codec {
  readonly #spec: AcpSpec;
  readonly #launch: LaunchOptions;
  readonly #peer = new RpcPeer({ jsonrpc: '2.0' });
  readonly #updates: Updates;
  readonly #settings: Settings;
  readonly #services: ServiceCalls;
  readonly #asks: Asks;
  readonly #turns: Turns;
  #session: Session | null = null;
  /** A prompt that came before the session was open. */
  #early: EnginePrompt | null = null;
  /** Whether there was a prompt: before the first one an agent may have a question about the session itself. */
  #hasBegun = false;
  /** What the next prompt begins with: the system prompt of a new session, or why the user refused something. */
  #prefaces: string[];

  constructor(spec: AcpSpec, launch: LaunchOptions) {
    this.#spec = spec;
    this.#launch = launch;
    this.#prefaces = launch.settings.systemPrompt === null ? [] : [launch.settings.systemPrompt];
    const items = new OpenItems();
    const own = launch.mcp?.serverName ?? null;
    const parts = { peer: this.#peer, items, spec, own, cwd: launch.cwd, isWanted: () => this.#isWanted() };
    const updates = new Updates(parts);
    this.#updates = updates;
    this.#settings = new Settings(this.#peer, spec);
    this.#services = new ServiceCalls({ ...parts, updates });
    this.#asks = new Asks({ ...parts, updates, services: this.#services, allowsAll: () => this.#settings.allowsAll() });
    this.#turns = new Turns({
      ...parts,
      updates,
      atEnd: (outcome) => [...this.#asks.cancelAll(), ...(outcome === 'completed' ? [] : this.#services.endCommands())],
    });
  }

  start(): Effect[] {
    return new Handshake({
      peer: this.#peer,
      spec: this.#spec,
      launch: this.#launch,
      settings: this.#settings,
      begin: (session) => {
        this.#session = session;
        if (!session.isNew) this.#prefaces = [];
        return this.#early === null ? [] : this.prompt(this.#early);
      },
      fail: (error) => this.#failStart(error),
    }).start();
  }

  line(line: string): Effect[] {
    return this.#peer.line(line, {
      request: (id, method, params) => this.#request(id, method, params),
      notification: (method, params) => this.#notification(method, params),
    });
  }

  prompt(prompt: EnginePrompt): Effect[] {
    if (this.#session === null) {
      this.#early = prompt;
      return [];
    }
    this.#hasBegun = true;
    const prefaces = this.#prefaces;
    this.#prefaces = [];
    return this.#turns.begin(this.#session, prompt, prefaces);
  }

  /** ACP cannot add to a running turn; an agent that can has a request of its own, by which it fetches what was added. */
  steer(prompt: EnginePrompt): Effect[] {
    this.#turns.add(prompt);
    return [];
  }

  answer(requestId: string, answer: RequestAnswer): Effect[] {
    if (answer.text !== undefined && answer.text !== '') this.#prefaces.push(`About what I did not allow: ${answer.text}`);
    return this.#asks.answer(requestId, answer);
  }

  /** The commands of an agent end with the turn that started them, so there is no task to stop. */
  stopTask(): Effect[] {
    return [];
  }

  interrupt(): Effect[] {
    if (this.#session === null || !this.#turns.isOpen || this.#turns.isCancelled) return [];
    this.#turns.cancel();
    const cancel = this.#peer.notify('session/cancel', { sessionId: this.#session.sessionId });
    return [cancel, ...this.#asks.cancelAll(), ...this.#services.endCommands()];
  }

  configure(settings: SessionSettings): Effect[] {
    return this.#session === null ? [] : this.#settings.apply(this.#session.sessionId, settings, () => []);
  }

  reply(callId: string, reply: { result: unknown } | { error: ErrorBody }): Effect[] {
    return this.#services.reply(callId, reply);
  }

  exit(exit: Exit): Effect[] {
    if (this.#session === null) return this.#failStart(startError(exit));
    return this.#turns.isCancelled ? this.#turns.end('cancelled') : this.#turns.end('failed', cutError(exit));
  }

  #request(id: RpcId, method: string, params: unknown): Effect[] {
    const { midTurn, ownTurns, todos } = this.#spec;
    const noted = this.#notesOf(method, params);
    if (noted !== null) return [this.#peer.respond(id, {}), ...noted];
    if (method === midTurn?.method) return [this.#peer.respond(id, midTurn.reply(this.#turns.takeAdded()))];
    if (method === ownTurns?.begin) return [this.#peer.respond(id, { accepted: !this.#turns.isOpen }), ...this.#beginOwn()];
    if (method === todos?.method) return [this.#peer.respond(id, {}), ...this.#showTodos(params)];
    return this.#asks.ask(id, method, params);
  }

  /** Returns a text when the params cannot be read; it says what is wrong with them. */
  #notification(method: string, params: unknown): Effect[] | string {
    const { ownTurns, todos } = this.#spec;
    const noted = this.#notesOf(method, params);
    if (noted !== null) return noted;
    if (method === todos?.method) return this.#showTodos(params);
    if (method === ownTurns?.begin) return this.#beginOwn();
    if (method === ownTurns?.end) return this.#turns.endOwn();
    return method === 'session/update' ? this.#update(params) : [];
  }

  #update(params: unknown): Effect[] | string {
    const read = readUpdate(params);
    if (read === null) return 'no update';
    if (this.#session !== null && read.sessionId !== this.#session.sessionId) return [];
    if (read.kind === 'current_mode_update') {
      const mode = updateSchemas.current_mode_update.safeParse(read.update);
      return mode.success ? this.#settings.noteMode(mode.data.currentModeId) : 'no mode';
    }
    if (read.kind === 'available_commands_update') return this.#launch.isProbe ? tellCommands(read.update) : [];
    if (read.kind === 'config_option_update') {
      const options = readOptions(read.update);
      return options === null ? 'no options' : this.#settings.noteOptions(options);
    }
    const news = this.#spec.ownTurns?.newsIn(read.update) ?? null;
    if (news !== null) {
      this.#turns.hear(news);
      return [];
    }
    return this.#updates.handlers.get(read.kind)?.(read.update) ?? [];
  }

  /** Returns null when the message is not one of the agent's own that the conversation shows. */
  #notesOf(method: string, params: unknown): Effect[] | null {
    const read = this.#spec.notes?.get(method);
    if (read === undefined) return null;
    const text = read(params);
    return text === null ? [] : [say({ type: 'notice', level: 'info', text })];
  }

  #showTodos(params: unknown): Effect[] {
    const todos = this.#spec.todos?.read(params) ?? null;
    return todos === null ? [] : this.#updates.showTodos(todos);
  }

  #beginOwn(): Effect[] {
    return this.#session === null ? [] : this.#turns.beginOwn(this.#session);
  }

  #isWanted(): boolean {
    return this.#turns.isOpen ? !this.#turns.isCancelled : !this.#hasBegun && !this.#launch.isProbe;
  }

  #failStart(error: ErrorBody): Effect[] {
    const wasAsked = this.#early !== null;
    this.#early = null;
    return [...(wasAsked ? [say({ type: 'turn.completed', outcome: 'failed', error })] : []), { type: 'stop', error }];
  }
}

const tellCommands = (update: unknown): Effect[] | string => {
  const parsed = updateSchemas.available_commands_update.safeParse(update);
  return parsed.success ? [say({ type: 'commands.told', commands: toCommands(parsed.data.availableCommands) })] : 'no commands';
};
