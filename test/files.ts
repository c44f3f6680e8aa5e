/** The lists of test files by their names. A test refuses a name that no file has, which would else be left out in silence. */

/** What takes longest on two cores, and that first. Vitest goes by the size of the files, which says little of them. */
export const LONG = [
  'test/integration/engines.test.ts',
  'test/integration/acp-added.test.ts',
  'test/integration/finding.test.ts',
  'test/integration/acp-services.test.ts',
  'test/integration/update.test.ts',
  'test/integration/mcp-stdio.test.ts',
  'test/integration/codex-processes.test.ts',
  'test/integration/trust-agents.test.ts',
  'test/integration/claude-background.test.ts',
  'test/integration/codex.test.ts',
  'test/integration/unending-agent.test.ts',
  'test/integration/faults-agent.test.ts',
  'test/integration/one-daemon.test.ts',
  'test/integration/terminal.test.ts',
  'test/integration/faults-kill.test.ts',
  'test/integration/claude-turn.test.ts',
  'test/integration/context.test.ts',
  'test/e2e/panel-cards.spec.ts',
  'test/e2e/panel-work.spec.ts',
  'test/e2e/browsers.spec.ts',
  'test/tools/panel-card.spec.ts',
  'test/tools/boundary-travel.spec.ts',
  'test/tools/boundary-frames.spec.ts',
  'test/tools/settle.spec.ts',
  'test/tools/faults-pages.spec.ts',
  'test/tools/faults.spec.ts',
  'test/tools/panel-context.spec.ts',
  'test/e2e/newcomers.spec.ts',
  'test/e2e/options-page.spec.ts',
  'test/e2e/trust.spec.ts',
  'test/e2e/first-chain.spec.ts',
  'test/tools/downloads.spec.ts',
  'test/tools/two-browsers.spec.ts',
  'test/tools/boundary-keys.spec.ts',
  'test/tools/browser-type-editors.spec.ts',
  'test/tools/browser-take-screenshot.spec.ts',
  'test/tools/browser-click.spec.ts',
  'test/tools/browser-evaluate.spec.ts',
];

/** What measures, or keeps the whole machine busy, also in its short form. */
export const ALONE = ['test/integration/faults-{load,times}.test.ts'];

/** The same for the whole form. */
export const ALONE_WHOLE = ['test/integration/{faults-*,one-daemon}.test.ts'];

/** Every file that has a whole form, or a figure. */
export const FAULTS = [
  'test/unit/browser/bridge.test.ts',
  'test/unit/store/store.test.ts',
  'test/unit/server/{readers,streams,single-instance}.test.ts',
  'test/unit/sessions/{cancel,clock,requests}.test.ts',
  'test/unit/mcp/{http,obedient-agent}.test.ts',
  'test/unit/installer/register/update.test.ts',
  'test/integration/{faults-*,one-daemon}.test.ts',
  'test/tools/{faults*,two-browsers,worker-return}.spec.ts',
  // What has no figures of losses, but is done much more often in full.
  'test/unit/display/plain-text.test.ts',
  'test/unit/engines/fuzz-{codecs,local}.test.ts',
  'test/tools/{boundary-document,boundary-frames,boundary-keys,boundary-travel,panel-xss,profile-data}.spec.ts',
];

/** Those of them that measure times or memory: each is a process of its own, and no two of them run at once. */
export const MEASURED = [
  'test/integration/faults-agent.test.ts',
  'test/integration/faults-load.test.ts',
  'test/integration/faults-times.test.ts',
  'test/tools/worker-return.spec.ts',
];

/** The rest of them run side by side; those that take longest come first, so that none is left over at the end. */
export const LONG_FAULTS = [
  'test/integration/faults-days.test.ts',
  'test/integration/faults-syscalls.test.ts',
  'test/integration/faults-kill.test.ts',
  'test/integration/faults-history.test.ts',
  'test/integration/faults-power.test.ts',
  'test/unit/sessions/requests.test.ts',
  'test/unit/server/readers.test.ts',
  'test/integration/one-daemon.test.ts',
  'test/unit/sessions/cancel.test.ts',
  'test/integration/faults-refusals.test.ts',
  'test/unit/server/streams.test.ts',
  'test/integration/faults-damage.test.ts',
  'test/tools/faults.spec.ts',
];

/**
 * Unit tests that spend their time with processes, with what they wait for or with counting; the quick form does without them. They come
 * first: the more memory a worker has, the longer it takes to start a process, and a worker's memory grows with each file.
 */
export const PROCESSES = [
  'test/unit/sessions/work.test.ts',
  'test/unit/git/worktree.test.ts',
  'test/unit/sessions/faults.test.ts',
  'test/unit/process/child.test.ts',
  'test/unit/installer/register/doctor.test.ts',
  'test/unit/sessions/cancel.test.ts',
  'test/unit/trust/trust.test.ts',
  'test/unit/process/lineage.test.ts',
  'test/unit/sessions/restart.test.ts',
  'test/unit/git/guard.test.ts',
  'test/unit/git/snapshot.test.ts',
  'test/unit/process/version.test.ts',
  'test/unit/process/login-env.test.ts',
  'test/unit/sessions/background.test.ts',
  'test/unit/sessions/usage.test.ts',
  'test/unit/runs/warm-pool.test.ts',
  'test/unit/host/relay.test.ts',
  'test/unit/store/store.test.ts',
  'test/unit/server/single-instance.test.ts',
  'test/unit/sessions/stored-view.test.ts',
  'test/unit/sessions/search.test.ts',
  'test/unit/browser/link-door.test.ts',
  'test/unit/server/threshold.test.ts',
  'test/unit/sessions/requests.test.ts',
  'test/unit/sessions/export.test.ts',
  'test/unit/installer/sbom.test.ts',
  'test/unit/engines/fuzz-codecs.test.ts',
  'test/unit/server/wire.test.ts',
];
