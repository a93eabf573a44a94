/**
 * The command line: this file lists the commands, frame/ runs them, one folder per group holds their actions.
 *
 * To add a command:
 * 1. Declare it in `src/cli/<group>/spec.ts` as a CommandSpec (frame/spec.ts explains every field). Options for
 *    secrets come from `secretOptions('owner-password', "the owner's password")`; an option that sets a
 *    configuration key says so with `config: 'listen'`. It is loaded for every command of its family and for help: no imports but
 *    types and secretOptions; schemas and actions are named in `output` and `load` and imported only when needed.
 * 2. Write its action in `src/cli/<group>/<name>.ts`: `export async function mintLicense(cli: Cli)`. It reads the
 *    line (`cli.option('email')`, `cli.flag('reveal')`, `cli.integer('days')`), asks before a change
 *    (`await cli.confirm({ action: 'revoke …', name })`), writes one answer (`cli.out.value`, `.page`, `.rows`,
 *    `.record`, `.raw`) and throws for failures (AppError, or frame/errors.ts). It may return an exit code for an
 *    answer such as "pending" (8). It never writes to the streams itself.
 * 3. Name in `output` the view of what it prints: `page(views, 'FlagView')`, see answers.ts. JSON that only this command
 *    prints has its schema in `src/cli/<group>/schemas.ts`.
 * 4. A new group also adds its family here.
 *
 * Help, --map, completion, `appctl schema` and the tests of the frame read the same declaration.
 */
import { beginAsProgram } from '#kernel/process-identity.ts';
import type { Cli } from './frame/context.ts';
import { runProcess } from './frame/run.ts';
import type { CommandSpec, GroupSpec } from './frame/spec.ts';
import { buildTree, type CommandTree, resolveCommand } from './frame/tree.ts';

/** Commands that begin with one word. */
interface Family {
  readonly word: string;
  /** Another family, below which this one has an alias. */
  readonly below?: string;
  readonly load: () => Promise<{
    readonly commands: readonly CommandSpec[];
    readonly groups?: readonly GroupSpec[];
  }>;
}

/**
 * By what somebody wants to do, in the order of help. Each is imported when it is needed: a short command would
 * otherwise read them all.
 */
const tasks: readonly { readonly title: string; readonly families: readonly Family[] }[] = [
  {
    title: 'Start and run a server',
    families: [
      { word: 'serve', load: () => import('./serve/spec.ts') },
      { word: 'setup', load: () => import('./setup/spec.ts') },
      { word: 'open', load: () => import('./browse/spec.ts') },
      { word: 'service', load: () => import('./service/spec.ts') },
      { word: 'restart', load: async () => ({ commands: [(await import('./service/spec.ts')).restart] }) },
      { word: 'drain', load: async () => ({ commands: [(await import('./service/spec.ts')).drain] }) },
      { word: 'status', load: () => import('./status/spec.ts') },
      { word: 'health', load: () => import('./health/spec.ts') },
      { word: 'logs', load: () => import('./logs/spec.ts') },
      { word: 'doctor', load: () => import('./doctor/spec.ts') },
      { word: 'alerts', load: () => import('./alerts/spec.ts') },
      { word: 'support', load: () => import('./support/spec.ts') },
      { word: 'config', load: () => import('./config/spec.ts') },
      { word: 'settings', load: () => import('./settings/spec.ts') },
      { word: 'migrate', load: () => import('./migrate/spec.ts') },
      { word: 'db', load: () => import('./db/spec.ts') },
      { word: 'backup', load: () => import('./backup/spec.ts') },
      { word: 'restore', load: async () => ({ commands: [(await import('./restore/spec.ts')).restore] }) },
      { word: 'upgrade', load: () => import('./upgrade/spec.ts') },
      { word: 'jobs', load: () => import('./jobs/spec.ts') },
      { word: 'hooks', load: () => import('./hooks/spec.ts') },
      { word: 'tenant', load: () => import('./tenant/spec.ts') },
      { word: 'dev', load: () => import('./dev/spec.ts') },
    ],
  },
  {
    title: 'License customers',
    families: [
      { word: 'product', load: () => import('./product/spec.ts') },
      { word: 'policy', load: () => import('./policy/spec.ts') },
      { word: 'keyformat', load: () => import('./keyformat/spec.ts') },
      { word: 'license', load: () => import('./license/spec.ts') },
      { word: 'customer', load: () => import('./customer/spec.ts') },
    ],
  },
  {
    title: 'Support customers',
    families: [
      { word: 'requests', load: () => import('./requests/spec.ts') },
      { word: 'simulate', load: () => import('./simulate/spec.ts') },
      { word: 'abuse', load: () => import('./abuse/spec.ts') },
      { word: 'honeypot', load: () => import('./honeypot/spec.ts') },
      { word: 'events', load: () => import('./events/spec.ts') },
    ],
  },
  {
    title: 'Release software',
    families: [
      { word: 'keys', load: () => import('./keys/spec.ts') },
      { word: 'release', load: () => import('./release/spec.ts') },
    ],
  },
  {
    title: 'Run a shop',
    families: [{ word: 'store', load: () => import('./store/spec.ts') }],
  },
  {
    title: 'Connect other systems',
    families: [
      { word: 'apikey', load: () => import('./apikey/spec.ts') },
      { word: 'webhook', load: () => import('./webhook/spec.ts') },
      { word: 'integration', below: 'webhook', load: () => import('./integration/spec.ts') },
      { word: 'email', load: () => import('./email/spec.ts') },
      { word: 'import', load: () => import('./import/spec.ts') },
      { word: 'export', load: () => import('./export/spec.ts') },
    ],
  },
  {
    title: 'Staff and audit',
    families: [
      { word: 'admin', load: () => import('./admin-user/family.ts') },
      { word: 'audit', load: () => import('./audit/spec.ts') },
    ],
  },
  {
    title: 'Work on a remote server',
    families: [
      { word: 'login', load: async () => ({ commands: [(await import('./login/spec.ts')).login] }) },
      { word: 'logout', load: async () => ({ commands: [(await import('./login/spec.ts')).logout] }) },
      { word: 'whoami', load: async () => ({ commands: [(await import('./login/spec.ts')).whoami] }) },
      {
        word: 'profile',
        load: async () => {
          const { profileGroup, profileList } = await import('./login/spec.ts');
          return { groups: [profileGroup], commands: [profileList] };
        },
      },
    ],
  },
  {
    title: 'About the program',
    families: [
      { word: 'help', load: () => import('./help/spec.ts') },
      { word: 'version', load: () => import('./version/spec.ts') },
      { word: 'completion', load: () => import('./completion/spec.ts') },
      { word: 'schema', load: () => import('./schema/spec.ts') },
      { word: 'docs', load: () => import('./docs/spec.ts') },
    ],
  },
];
const families = tasks.flatMap((task) => task.families);

/** Builds the tree of all commands. @throws Error when a declaration breaks a rule of the frame */
export const commandTree = (): Promise<CommandTree<Cli>> => treeOf(families);

async function treeOf(some: readonly Family[]): Promise<CommandTree<Cli>> {
  const loaded = await Promise.all(some.map(({ load }) => load()));
  return buildTree(
    loaded.flatMap(({ groups = [] }) => groups),
    loaded.flatMap(({ commands }) => commands),
    tasks.map(({ title, families }) => ({ title, words: families.map(({ word }) => word) })),
  );
}

/** Words whose commands speak of all others. */
const ABOUT_ALL = ['help', 'docs', 'schema', 'completion', 'complete-words'];

/**
 * The tree that a command line needs: that of its first word, or the whole one where that leads to no command of its
 * own, since a mistyped word is answered from all of them.
 */
export async function treeFor(argv: readonly string[]): Promise<CommandTree<Cli>> {
  const first = argv.find((token) => !token.startsWith('-'));
  const family = families.find(({ word }) => word === first);
  if (!family || ABOUT_ALL.includes(family.word)) return commandTree();
  const tree = await treeOf(families.filter(({ word }) => word === first || word === family.below));
  const { node, unknown, rootFlag } = resolveCommand(tree, argv);
  return node.spec && unknown === undefined && rootFlag === undefined ? tree : commandTree();
}

/** Runs the command line of this process and ends it. */
export async function main(): Promise<void> {
  beginAsProgram();
  // No command: the program starts itself with this word to decode pictures apart from the server.
  if (process.argv[2] === 'picture-process' && process.connected)
    return (await import('#platform/pictures/index.ts')).servePictures();
  // Likewise to copy a SQLite database, which stops a process for as long as it takes.
  if (process.argv[2] === 'copy-process' && process.connected)
    return (await import('#kernel/db/online-copy.ts')).serveCopy();
  if (process.argv[2] === 'stream-base-process' && process.connected)
    return (await import('../app/backup/stream/base.ts')).serveBase();
  // Likewise for `serve --workers`.
  if (process.argv[2] === 'server-process' && process.connected)
    return (await import('../app/workers/worker.ts')).serveAsWorker();
  await runProcess(await treeFor(process.argv.slice(2)));
}
