/** What a front end itself says of its connection and its browser, beside the words of an error's code or in their place. */
import { sayingOf } from './said.ts';

export const FRONT_FAULTS = {
  start_or_install: 'Start `pilotfish` once, or run `pilotfish install`, then press "Try again".',
  install_and_load: 'Run `pilotfish install` and load the extension from the folder it names.',
  link_comes_back: 'It is made again by itself; if it stays, run `pilotfish doctor`.',
  stream_event: 'An event of a stream.',
  stream_ended: 'It closed the stream.',
  stream_silent: 'It has been silent for too long.',
  looked_for_again: 'It is looked for again by itself.',
  other_daemon_version: 'The daemon is of another version: run `pilotfish stop`, then start again.',
  doctor_in_terminal: 'Run `pilotfish doctor` in a terminal.',
  reload_extension: 'Reload the extension.',
  reload_and_open: 'Reload the extension at chrome://extensions, then open this panel again.',
  go_to_ordinary: 'Go to an ordinary web page, then try again.',
  look_then_try: 'Look at the page, then try again.',
  check_downloads: 'Check the download folder of the browser.',
  write_address: 'Write ws://127.0.0.1:PORT where a tunnel begins, or wss://name.',
  open_tunnel: 'Look whether the tunnel is open; to pair, run `pilotfish browsers pair` where Pilotfish runs.',
  not_registered: 'The pilotfish program is not registered with this browser.',
  other_copy: 'The pilotfish program is registered for another copy of this extension.',
  ended_at_once: 'The pilotfish program ended as soon as the browser started it.',
  ended_at_once_said: 'The pilotfish program ended as soon as the browser started it. {words}',
  connection_lost: 'The connection to pilotfish was lost.',
  no_address: 'This is no address.',
  other_without_key: 'What answers there does not hold its key.',
  not_paired_pilotfish: 'What answers there is not the Pilotfish that was paired.',
  no_pilotfish: 'What answers there is no Pilotfish.',
  nothing_takes: 'Nothing takes this browser at {address}.',
  no_stream: 'It sent no stream.',
  worker_silent: "The extension's background worker gave no answer.",
} as const;

/** Says what a front end has met, or what to do about it. */
export const explainInFront = /* @__PURE__ */ sayingOf(FRONT_FAULTS);
