// Which file may import what (architecture.md section 2).
import { posix } from 'node:path';
import { homes } from './library-homes.ts';
import { type ImportEdge, importsOf, type Rule, type SourceFile } from './source-tree.ts';

/** What each layer may import besides itself. */
const below: Record<string, readonly string[]> = {
  client: [],
  kernel: [],
  signing: ['kernel'],
  platform: ['kernel', 'signing'],
  licensing: ['kernel', 'signing', 'platform'],
  storefront: ['kernel', 'signing', 'platform'],
  fulfilment: ['kernel', 'signing', 'platform', 'licensing', 'storefront'],
  // The program takes its own updates by the client that it gives to vendors.
  app: ['client', 'kernel', 'signing', 'platform', 'licensing', 'storefront', 'fulfilment', 'migrations'],
  cli: ['kernel', 'signing', 'platform', 'licensing', 'storefront', 'fulfilment', 'migrations', 'app'],
  migrations: ['kernel'],
  bin: ['kernel', 'cli'],
};

/** What the file formats of keys and signatures need of the kernel: mechanism that knows no database. */
const neededToSign = ['ed25519.ts', 'clock.ts', 'errors.ts', 'private-files.ts'].map(
  (file) => `src/kernel/${file}`,
);

/** Layers that are made of capabilities, each with an index.ts as its contract. */
const services = ['platform', 'licensing', 'storefront', 'fulfilment'];

/**
 * The wings of a service, lowest first: each imports those before it. `contract` holds the specification's tables as
 * data and is open to the whole service; a wing holds capabilities.
 */
const wings: Record<string, readonly string[]> = {
  licensing: ['contract', 'catalog', 'licenses', 'releases', 'purchases', 'insight', 'moving'],
  storefront: ['contract', 'catalog', 'pricing', 'people', 'orders', 'buying', 'tools'],
};
const MOST_WINGS = 7;
const MOST_CAPABILITIES = 12;

/** Layers that package.json gives a `#` alias. */
const aliased = ['kernel', 'signing', 'platform', 'licensing', 'storefront', 'fulfilment'];

/** An import whose target is known: a path from the repository's root, or the name of a package. */
type Resolved = ImportEdge & { from: string; specifier: string; path?: string; library?: string };

/** Layers import only what lies beneath them. */
export const importsRunDownward: Rule = (tree) =>
  edgesOf(tree).flatMap((edge) => {
    const from = layerOf(edge.from);
    const to = edge.path === undefined ? undefined : layerOf(edge.path);
    if (from === 'test' || to === undefined || from === to || below[from]?.includes(to)) return [];
    return breach(edge, `${from} must not import ${to}`);
  });

/** What a decision is made of: no clock, no database, no request, and nothing that would bring them along. */
const factsOnly = ['src/kernel/errors.ts', 'src/kernel/http/json-object.ts', 'src/licensing/contract/'];

/** The same facts give the same answer to the API, the simulator and a support question. */
export const decisionsAreMadeFromFactsAlone: Rule = (tree) => {
  const home = 'src/licensing/licenses/decision/';
  return edgesOf(tree).flatMap((edge) => {
    if (!edge.from.startsWith(home)) return [];
    if (edge.path === undefined)
      return edge.library === 'semver' ? [] : breach(edge, 'a decision needs facts alone');
    return [home, ...factsOnly].some((place) => edge.path?.startsWith(place))
      ? []
      : breach(edge, 'a decision needs facts alone');
  });
};

/**
 * The client SDK runs in browsers and without any other package: it imports its own files and nothing else. What keeps
 * values in a file has Node's modules beside them, and only the entry for Node imports it.
 */
export const clientStandsAlone: Rule = (tree) =>
  edgesOf(tree).flatMap((edge) => {
    if (!edge.from.startsWith('src/client/')) return [];
    const usesFiles = /^src\/client\/(file-[\w-]+|node)\.ts$/;
    if (edge.path === undefined && usesFiles.test(edge.from) && edge.specifier.startsWith('node:')) return [];
    const isForeign = edge.path === undefined || layerOf(edge.path) !== 'client';
    const leavesBrowsers = usesFiles.test(edge.path ?? '') && !usesFiles.test(edge.from);
    return isForeign || leavesBrowsers ? breach(edge, 'the client SDK imports only its own files') : [];
  });

/** A key is made and a bundle signed on a machine that has neither a database nor a server. */
export const signingNeedsNoDatabase: Rule = (tree) =>
  edgesOf(tree).flatMap((edge) => {
    if (!edge.from.startsWith('src/signing/') || !edge.path?.startsWith('src/kernel/')) return [];
    return neededToSign.includes(edge.path) ? [] : breach(edge, 'signing needs no more of the kernel');
  });

/** From outside, a capability is its index.ts, and its view.ts where its answers are shown: zod is loaded with it. */
export const capabilitiesAreEnteredThroughTheirIndex: Rule = (tree) =>
  edgesOf(tree).flatMap((edge) => {
    if (edge.from.startsWith('test/') || edge.path === undefined) return [];
    const to = roomOf(edge.path);
    if (to === null) return [];
    const from = roomOf(edge.from);
    if (layerOf(edge.from) === to.layer && (to.isOpen || to.capability === from?.capability)) return [];
    if (composes(edge) || isTwin(edge) || subscribes(edge) || joins(edge)) return [];
    return to.isIndex || to.isView
      ? []
      : breach(edge, 'a capability is entered through its index.ts or view.ts');
  });

/**
 * What puts the program together takes the values of capabilities: `capability.ts`, what a serving process mounts, and
 * `local.ts`, what every process has.
 */
const composes = ({ from, path = '' }: Resolved): boolean =>
  /^src\/(\w+\/(index|local)|app\/[\w-]+)\.ts$/.test(from) && /\/(capability|local)\.ts$/.test(path);

/** What joins the two services speaks the words of both: their specifications' tables as data are open to it. */
const joins = ({ from, path = '' }: Resolved): boolean =>
  from.startsWith('src/fulfilment/') && /^src\/(licensing|storefront)\/contract\//.test(path);

/** Short commands have subscribers too: they name the events that another capability tells, and load nothing else of it. */
const subscribes = ({ from, path = '' }: Resolved): boolean =>
  from.endsWith('/local.ts') && path.endsWith('/events.ts');

/**
 * A command calls the operations of the admin API: those that belong to its subject, and no others. What both services
 * administer alike is declared below them, and the resource of each service names where it stands there.
 */
const isTwin = ({ from, path = '' }: Resolved): boolean =>
  (from.startsWith('src/cli/') && /\/(resource|admin-[\w-]+|endpoints\.store)\.ts$/.test(path)) ||
  (from.endsWith('/resource.ts') && /^src\/platform\/[\w-]+\/resource\.ts$/.test(path));

/** Wings of a service import only those before them. */
export const wingsRunOneWay: Rule = (tree) =>
  edgesOf(tree).flatMap((edge) => {
    const [to, from] = [edge.path === undefined ? null : roomOf(edge.path), roomOf(edge.from)];
    if (!to?.wing || !from?.wing || to.layer !== from.layer) return [];
    const order = wings[to.layer] ?? [];
    return order.indexOf(to.wing) <= order.indexOf(from.wing)
      ? []
      : breach(edge, `wing ${from.wing} must not import ${to.wing}`);
  });

/** A wing is one of the list, and small enough to be seen at a glance. */
export const wingsAreSmall: Rule = (tree) =>
  Object.entries(wings).flatMap(([service, order]) => {
    const folders = new Map<string, Set<string>>();
    for (const { file } of tree) {
      const [top, layer, wing = '', capability, inside] = file.split('/');
      if (top !== 'src' || layer !== service || capability === undefined) continue;
      const rooms = folders.get(wing) ?? new Set();
      folders.set(wing, inside === undefined ? rooms : rooms.add(capability));
    }
    return [
      ...(order.length > MOST_WINGS ? [`src/${service} has more than ${MOST_WINGS} wings`] : []),
      ...[...folders].flatMap(([wing, rooms]) => {
        if (!order.includes(wing)) return [`src/${service}/${wing} is not a wing of the list`];
        const isFull = rooms.size > MOST_CAPABILITIES;
        return isFull ? [`src/${service}/${wing} has more than ${MOST_CAPABILITIES} capabilities`] : [];
      }),
    ];
  });

/** Where a file of a service stands: its wing if the service has any, its capability, and what may be imported. */
function roomOf(path: string): {
  layer: string;
  wing: string | null;
  capability: string;
  isIndex: boolean;
  isView: boolean;
  /** The whole service may import it: its contract, its tables of data. */
  isOpen: boolean;
} | null {
  const [top, layer = '', ...rest] = path.split('/');
  if (top !== 'src' || !services.includes(layer)) return null;
  const hasWings = wings[layer] !== undefined && rest.length > 1;
  const wing = hasWings ? (rest[0] ?? '') : null;
  const inside = hasWings ? rest.slice(1) : rest;
  const isContract = wing === 'contract' || inside.length === 1;
  const capability = isContract ? layer : [layer, wing, inside[0]].join('/');
  const isIndex = inside.at(-1) === 'index.ts' && inside.length <= 2 && wing !== 'contract';
  const isView = inside[1] === 'view.ts' && inside.length === 2;
  return {
    layer,
    wing,
    capability,
    isIndex: isIndex && (inside.length === 2 || !hasWings),
    isView,
    isOpen: isContract,
  };
}

/** Imports into another layer or another wing are written with the layer's alias, all others relative. */
export const importsAreWrittenPlainly: Rule = (tree) =>
  edgesOf(tree).flatMap((edge) => {
    if (edge.specifier.startsWith('../../../')) return breach(edge, 'climbs three folders');
    if (!edge.from.startsWith('src/') || edge.path === undefined) return [];
    const to = layerOf(edge.path);
    const usesAlias = edge.specifier.startsWith('#');
    if (to === layerOf(edge.from)) {
      const leaves = leavesItsWing(edge.from, edge.path);
      if (leaves && !usesAlias) return breach(edge, `is written #${to}/…: it leaves its wing`);
      return usesAlias && !leaves ? breach(edge, 'inside a layer or a wing imports are relative') : [];
    }
    return aliased.includes(to) && !usesAlias ? breach(edge, `is written #${to}/…`) : [];
  });

function leavesItsWing(from: string, to: string): boolean {
  const [own, other] = [roomOf(from), roomOf(to)];
  return own?.wing != null && own.wing !== other?.wing;
}

/** A computed import() is followed neither by the bundle nor by these rules. */
export const importsNameTheirModule: Rule = (tree) =>
  tree
    .filter(({ file }) => file.startsWith('src/') && !file.startsWith('src/kernel/'))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => specifier === null)
        .map(({ line }) => `${file.file}:${line} computed import()`),
    );

/** Each outside library is loaded in one place. */
export const librariesHaveOneHome: Rule = (tree) =>
  edgesOf(tree).flatMap((edge) => {
    if (edge.library === undefined || edge.from.startsWith('test/')) return [];
    // A migration names the type of the builder it is given, and nothing else of knex.
    if (edge.library === 'knex' && edge.typeOnly && edge.from.startsWith('migrations/')) return [];
    const home = homes[edge.library];
    if (home === undefined)
      return breach(edge, `${edge.library} has no home in test/support/library-homes.ts`);
    return home.some((place) => edge.from.startsWith(place))
      ? []
      : breach(edge, `belongs to ${home.join(', ')}`);
  });

/** Only the index of a capability or a service is a barrel. */
export const onlyContractsAreBarrels: Rule = (tree) => [
  ...tree
    .filter(({ file }) => /^src\/.*\bindex\.ts$/.test(file) && !isContractFile(file))
    .map(({ file }) => `${file}:1 an index.ts belongs to a capability or a service`),
  ...edgesOf(tree)
    .filter(
      ({ from, reExportsAll }) =>
        reExportsAll && from.startsWith('src/') && !from.endsWith('/index.ts') && from !== CLIENT_FOR_NODE,
    )
    .flatMap((edge) => breach(edge, 'export * outside of an index.ts')),
];

/** The client's second entry holds all of the first. */
const CLIENT_FOR_NODE = 'src/client/node.ts';

/** The index of a service or a capability; `src/cli/index.ts` and the client's are the same for their layers. */
const isContractFile = (file: string): boolean => roomOf(file)?.isIndex || /^src\/\w+\/index\.ts$/.test(file);

function edgesOf(tree: readonly SourceFile[]): Resolved[] {
  return tree.flatMap((file) =>
    importsOf(file).flatMap((edge) =>
      edge.specifier === null ? [] : [resolve({ ...edge, specifier: edge.specifier, from: file.file })],
    ),
  );
}

function resolve(edge: Resolved): Resolved {
  const { specifier, from } = edge;
  if (specifier.startsWith('.')) return { ...edge, path: posix.join(posix.dirname(from), specifier) };
  if (specifier.startsWith('#')) return { ...edge, path: `src/${specifier.slice(1)}` };
  if (specifier.startsWith('node:')) return edge;
  return { ...edge, library: /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier };
}

/** `src/kernel/db/lane.ts` is of `kernel`, `src/app.ts` of `app`, `migrations/index.ts` of `migrations`. */
function layerOf(path: string): string {
  const [top = '', layer = ''] = path.split('/');
  return top === 'src' ? layer.replace(/\.ts$/, '') : top;
}

function breach(edge: Resolved, reason: string): string[] {
  return [`${edge.from}:${edge.line} ${edge.specifier}: ${reason}`];
}
