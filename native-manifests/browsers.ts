/**
 * Where each Chromium-family browser looks for native messaging hosts, and how to tell that it is installed.
 * https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging#native-messaging-host-location
 */

export interface BrowserPlace {
  readonly id: string;
  readonly name: string;
  readonly linux: {
    /** Profile folder below $XDG_CONFIG_HOME or ~/.config; manifests lie in its NativeMessagingHosts. */
    readonly profile: string;
    /** Further profile folders whose manifests this browser reads too. */
    readonly alsoReads?: readonly string[];
    /** Manifests for all users, where the vendor documents a folder. */
    readonly systemDir?: string;
    readonly commands: readonly string[];
  } | null;
  readonly darwin: {
    /** Profile folder below ~/Library/Application Support. */
    readonly profile: string;
    readonly alsoReads?: readonly string[];
    readonly systemDir?: string;
    readonly application: string;
  } | null;
  readonly win32: {
    /** Below HKEY_CURRENT_USER; the host's name is a key in it whose value is the manifest's path. */
    readonly registryKey: string;
    /** Profile folder below %LOCALAPPDATA% or, for `roaming`, %APPDATA%. */
    readonly profile: string;
    readonly isRoaming?: boolean;
  } | null;
}

/**
 * Names of the programs that a browser's processes run on Linux, where its command is a script or a link to one of these. They are
 * believed only where nobody but the administrator can put a file of that name.
 */
export const linuxPrograms: ReadonlySet<string> = new Set([
  'chrome',
  'chromium',
  'chromium-browser',
  'msedge',
  'brave',
  'vivaldi-bin',
  'opera',
]);

const chromeKey = 'Software\\Google\\Chrome\\NativeMessagingHosts';
const chromeSystemDir = '/etc/opt/chrome/native-messaging-hosts';
const edgeKey = 'Software\\Microsoft\\Edge\\NativeMessagingHosts';
const edgeSystemDir = '/etc/opt/edge/native-messaging-hosts';

/** Every browser we register with. Channels of one browser have profile folders of their own and share the registry key. */
export const browserPlaces: readonly BrowserPlace[] = [
  {
    id: 'chrome',
    name: 'Google Chrome',
    linux: { profile: 'google-chrome', systemDir: chromeSystemDir, commands: ['google-chrome-stable', 'google-chrome'] },
    darwin: { profile: 'Google/Chrome', systemDir: '/Library/Google/Chrome/NativeMessagingHosts', application: 'Google Chrome.app' },
    win32: { registryKey: chromeKey, profile: 'Google\\Chrome\\User Data' },
  },
  {
    id: 'chrome-beta',
    name: 'Google Chrome Beta',
    linux: { profile: 'google-chrome-beta', systemDir: chromeSystemDir, commands: ['google-chrome-beta'] },
    darwin: { profile: 'Google/Chrome Beta', application: 'Google Chrome Beta.app' },
    win32: { registryKey: chromeKey, profile: 'Google\\Chrome Beta\\User Data' },
  },
  {
    id: 'chrome-dev',
    name: 'Google Chrome Dev',
    linux: { profile: 'google-chrome-unstable', systemDir: chromeSystemDir, commands: ['google-chrome-unstable'] },
    darwin: { profile: 'Google/Chrome Dev', application: 'Google Chrome Dev.app' },
    win32: { registryKey: chromeKey, profile: 'Google\\Chrome Dev\\User Data' },
  },
  {
    id: 'chrome-canary',
    name: 'Google Chrome Canary',
    linux: { profile: 'google-chrome-canary', systemDir: chromeSystemDir, commands: ['google-chrome-canary'] },
    darwin: { profile: 'Google/Chrome Canary', application: 'Google Chrome Canary.app' },
    win32: { registryKey: chromeKey, profile: 'Google\\Chrome SxS\\User Data' },
  },
  {
    id: 'chromium',
    name: 'Chromium',
    linux: { profile: 'chromium', systemDir: '/etc/chromium/native-messaging-hosts', commands: ['chromium', 'chromium-browser'] },
    darwin: {
      profile: 'Chromium',
      systemDir: '/Library/Application Support/Chromium/NativeMessagingHosts',
      application: 'Chromium.app',
    },
    win32: { registryKey: 'Software\\Chromium\\NativeMessagingHosts', profile: 'Chromium\\User Data' },
  },
  {
    id: 'edge',
    name: 'Microsoft Edge',
    linux: { profile: 'microsoft-edge', systemDir: edgeSystemDir, commands: ['microsoft-edge-stable', 'microsoft-edge'] },
    darwin: { profile: 'Microsoft Edge', systemDir: '/Library/Microsoft/Edge/NativeMessagingHosts', application: 'Microsoft Edge.app' },
    win32: { registryKey: edgeKey, profile: 'Microsoft\\Edge\\User Data' },
  },
  {
    id: 'edge-beta',
    name: 'Microsoft Edge Beta',
    linux: { profile: 'microsoft-edge-beta', systemDir: edgeSystemDir, commands: ['microsoft-edge-beta'] },
    darwin: { profile: 'Microsoft Edge Beta', application: 'Microsoft Edge Beta.app' },
    win32: { registryKey: edgeKey, profile: 'Microsoft\\Edge Beta\\User Data' },
  },
  {
    id: 'edge-dev',
    name: 'Microsoft Edge Dev',
    linux: { profile: 'microsoft-edge-dev', systemDir: edgeSystemDir, commands: ['microsoft-edge-dev'] },
    darwin: { profile: 'Microsoft Edge Dev', application: 'Microsoft Edge Dev.app' },
    win32: { registryKey: edgeKey, profile: 'Microsoft\\Edge Dev\\User Data' },
  },
  {
    id: 'brave',
    name: 'Brave',
    linux: { profile: 'BraveSoftware/Brave-Browser', commands: ['brave-browser-stable', 'brave-browser', 'brave'] },
    darwin: { profile: 'BraveSoftware/Brave-Browser', application: 'Brave Browser.app' },
    win32: { registryKey: chromeKey, profile: 'BraveSoftware\\Brave-Browser\\User Data' },
  },
  {
    id: 'vivaldi',
    name: 'Vivaldi',
    linux: { profile: 'vivaldi', commands: ['vivaldi-stable', 'vivaldi'] },
    darwin: { profile: 'Vivaldi', application: 'Vivaldi.app' },
    win32: { registryKey: chromeKey, profile: 'Vivaldi\\User Data' },
  },
  {
    id: 'opera',
    name: 'Opera',
    linux: { profile: 'opera', alsoReads: ['google-chrome'], commands: ['opera'] },
    darwin: { profile: 'com.operasoftware.Opera', alsoReads: ['Google/Chrome'], application: 'Opera.app' },
    win32: { registryKey: chromeKey, profile: 'Opera Software\\Opera Stable', isRoaming: true },
  },
  {
    id: 'arc',
    name: 'Arc',
    linux: null,
    darwin: { profile: 'Arc/User Data', application: 'Arc.app' },
    win32: { registryKey: chromeKey, profile: 'Packages\\TheBrowserCompany.Arc_ttt1ap7aakyb4\\LocalCache\\Local\\Arc\\User Data' },
  },
];

/** Browsers in a sandbox that keeps them from starting programs of the system: their folder below the home folder. */
export const sandboxedPlaces: readonly { readonly name: string; readonly folder: string }[] = [
  { name: 'Chromium (Snap)', folder: 'snap/chromium' },
  { name: 'Chromium (Flatpak)', folder: '.var/app/org.chromium.Chromium' },
  { name: 'Google Chrome (Flatpak)', folder: '.var/app/com.google.Chrome' },
  { name: 'Microsoft Edge (Flatpak)', folder: '.var/app/com.microsoft.Edge' },
  { name: 'Brave (Flatpak)', folder: '.var/app/com.brave.Browser' },
];
