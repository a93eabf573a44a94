import type { ListenAddress } from '#kernel/config/listen.ts';

/** What a unit is made for. */
export interface UnitFacts {
  readonly name: string;
  /** Of the machine, or of the user who installs it. */
  readonly scope: 'system' | 'user';
  /** Its account; null for a service of a user. */
  readonly user: string | null;
  /** Starts the program, as `unitWords` writes it. */
  readonly program: string;
  readonly environmentFile: string;
  /** Folders outside the data directory that the server writes to, as `writableOf` writes them; empty for none. */
  readonly writable: string;
  /** Addresses, as `streamOf` writes them. */
  readonly listen: readonly string[];
  /** Those that redirect plain HTTP and answer a certificate authority; their sockets have a unit of their own. */
  readonly redirect: readonly string[];
}

/** The first line of every file that `service install` writes: others are left alone. */
export const MARK = '# Written by appctl service install';

const SANDBOX = `NoNewPrivileges=yes
CapabilityBoundingSet=
PrivateTmp=yes
PrivateDevices=yes
ProtectSystem=strict
ProtectHome=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
UMask=0077`;

/** A service of a user cannot drop what it never had. */
const USER_SANDBOX = `NoNewPrivileges=yes
LockPersonality=yes
UMask=0077`;

/** A start may have to back up and migrate a large database first. A server that ends meanwhile is noticed at once. */
const LONGEST_START_SECONDS = 900;

/** The service unit (cli.md section 8). */
export function serviceUnit(facts: UnitFacts): string {
  const { name, scope, user, environmentFile, program } = facts;
  const isSystem = scope === 'system';
  const sockets =
    facts.redirect.length > 0 ? `${name}.socket ${redirectName(name)}.socket` : `${name}.socket`;
  // An account of systemd's own would end with the service: no file could be made readable for it, and root alone could
  // enter its data directory, which every command of root gives its rights up for.
  const owner = `User=${user}`;
  // Beside the service systemd 252 shows no credentials, and the check reads the same configuration.
  const asRoot = isSystem ? '+' : '';
  return `${MARK}
[Unit]
Description=${name}
Requires=${sockets}
After=network-online.target ${sockets}
Wants=network-online.target

[Service]
Type=exec
${facts.redirect.length > 0 ? `Sockets=${sockets}\n` : ''}${isSystem ? `${owner}\n` : ''}StateDirectory=${name}
StateDirectoryMode=0700
${isSystem ? `ConfigurationDirectory=${name}\n` : ''}EnvironmentFile=-${environmentFile}
${isSystem ? `LoadCredential=master-key:/etc/${name}/master.key\n` : ''}ExecStart=${program} serve
ExecStartPost=${asRoot}${program} health --wait ${LONGEST_START_SECONDS}
ExecReload=/bin/kill -HUP $MAINPID
KillSignal=SIGTERM
TimeoutStartSec=${LONGEST_START_SECONDS + 20}
TimeoutStopSec=35
Restart=on-failure
RestartPreventExitStatus=2 78
${isSystem ? `${SANDBOX}${facts.writable === '' ? '' : `\nReadWritePaths=${facts.writable}`}` : USER_SANDBOX}

[Install]
WantedBy=${isSystem ? 'multi-user' : 'default'}.target
`;
}

/** The socket unit: while the service restarts, systemd keeps new connections waiting. */
export const socketUnit = ({ name, listen }: Pick<UnitFacts, 'name' | 'listen'>): string =>
  socketsOf(`Sockets of ${name}`, listen, '');

/** The socket unit of addresses that only redirect: a unit gives all of its sockets one name. Null for none. */
export const redirectUnit = ({ name, redirect }: Pick<UnitFacts, 'name' | 'redirect'>): string | null =>
  redirect.length === 0
    ? null
    : socketsOf(
        `Sockets of ${name} that redirect to https`,
        redirect,
        `FileDescriptorName=redirect\nService=${name}.service\n`,
      );

/** Name of the unit whose sockets redirect. */
export const redirectName = (name: string): string => `${name}-redirect`;

const socketsOf = (description: string, streams: readonly string[], more: string): string => `${MARK}
[Unit]
Description=${description}

[Socket]
${streams.map((stream) => `ListenStream=${stream}`).join('\n')}
${more}Backlog=4096
NoDelay=yes

[Install]
WantedBy=sockets.target
`;

/** As systemd writes an address: a port alone is all interfaces. */
export function streamOf(address: ListenAddress): string {
  if (address.kind === 'unix') return address.path;
  if (address.kind === 'fd') return String(address.fd);
  const { host, port } = address;
  if (host === null) return String(port);
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Folders as a unit has them. One that is missing hinders no start: the server says what it cannot write. */
export const writableOf = (folders: readonly string[]): string =>
  unitWords([...new Set(folders)].sort().map((folder) => `-${folder}`));

/** Words that start a program, as a unit has them. */
export const unitWords = (words: readonly string[]): string => words.map(unitWord).join(' ');

/** systemd splits at spaces, and reads percent signs and dollars. */
const unitWord = (word: string): string => {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /[\s"'\\]/.test(plain) ? `"${plain.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : plain;
};
