import { SiteRule, type RuledSite } from '#protocol/sites.ts';
import { CompanionError } from '#protocol/errors.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

/** `pilotfish sites` */
export const sites: Subcommand = {
  name: 'sites',
  summary: 'what agents may do on certain sites, whatever you allowed otherwise',
  usage: [
    'list | set SITE read-only|never|ask | remove SITE [--json]',
    'SITE    example.org, with all that lies below it; or one origin, http://localhost:3000',
    'read-only  agents may look, and change nothing',
    'never      agents neither open nor read it',
    'ask        you are asked each time an agent opens it',
    '--json  print the rules as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' } }, { most: 3 });
    const [action = 'list', site, rule] = positionals;
    const order = readOrder(action, site, rule);
    await io.client.connect({ start: true, signal: io.signal });
    const found = await carryOut(io.client.sites, order);
    if (values.json === true) io.json({ sites: found });
    else for (const line of found.length > 0 ? found.map(describe) : ['No site has a rule of its own.']) io.line(line);
    return 0;
  },
};

type Order =
  | { readonly action: 'list' }
  | { readonly action: 'remove'; readonly site: string }
  | { readonly action: 'set'; readonly site: string; readonly rule: SiteRule };

const readOrder = (action: string, site: string | undefined, rule: string | undefined): Order => {
  if (action === 'list' && site === undefined) return { action };
  if (action !== 'set' && action !== 'remove') throw unknownAction('sites', action, ['list', 'set', 'remove']);
  if (site === undefined) throw new CompanionError('CLI_USAGE', `"sites ${action}" needs a site.`);
  if (action === 'remove') return { action, site };
  const parsed = SiteRule.safeParse(rule?.replace('-', '_'));
  if (!parsed.success) throw new CompanionError('CLI_USAGE', `"sites set" needs a rule: ${SiteRule.options.map(spell).join(', ')}.`);
  return { action, site, rule: parsed.data };
};

const carryOut = (
  door: {
    list(): Promise<RuledSite[]>;
    set(site: string, rule: SiteRule): Promise<RuledSite[]>;
    remove(site: string): Promise<RuledSite[]>;
  },
  order: Order,
): Promise<RuledSite[]> => {
  switch (order.action) {
    case 'list':
      return door.list();
    case 'remove':
      return door.remove(order.site);
    case 'set':
      return door.set(order.site, order.rule);
  }
};

const describe = ({ site, rule }: RuledSite): string => `${site}  ${spell(rule)}`;

/** As it is written on a command line. */
const spell = (rule: SiteRule): string => rule.replace('_', '-');
