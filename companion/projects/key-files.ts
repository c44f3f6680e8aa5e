/** Files that by their name may hold passwords or keys: a person is asked for each of them, whatever was allowed before. Pure. */

const NAMES = [
  /^\.env(?:\..+)?$/,
  /^\.(?:npmrc|yarnrc|pypirc|netrc|pgpass|my\.cnf|git-credentials|htpasswd|dockercfg|vault-token|boto|s3cfg)$/,
  /^_netrc$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)/,
  /\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|ovpn|tfstate|tfvars)$/,
  /(?:^|[._-])(?:secrets?|credentials?|passwords?|passwd|tokens?|private[._-]?keys?|service[._-]?account)(?:[._-]|$)/,
  /^(?:login data|cookies|key[34]\.db|logins\.json|wallet\.dat)$/,
];
const FOLDERS = /(?:^|[\\/])(?:\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker|\.git|gcloud|secrets?|credentials?)[\\/]/i;

export const mayHoldKeys = (file: string): boolean => {
  const name = file.split(/[\\/]/).at(-1)?.toLowerCase() ?? '';
  return FOLDERS.test(file) || NAMES.some((pattern) => pattern.test(name));
};
