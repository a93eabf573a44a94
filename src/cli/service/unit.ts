import type { ListenAddress } from '#kernel/config/listen.ts';

/** What a unit is made for. */
export interface UnitFacts {
  readonly name: string;
  /** Of the machine, or of the user who installs it. */
  readonly scope: 'system' | 'user';
  /** An account that exists; null lets systemd make one. */
  readonly user: string | null;
  /** Words that start the program. */
  readonly program: readonly string[];
  readonly environmentFile: string;
  readonly listen: readonly ListenAddress[];
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
  const { name, scope, user, environmentFile } = facts;
  const isSystem = scope === 'system';
  const program = facts.program.map(unitWord).join(' ');
  const owner = user === null ? 'DynamicUser=yes' : `User=${user}`;
  return `${MARK}
[Unit]
Description=${name}
Requires=${name}.socket
After=network-online.target ${name}.socket
Wants=network-online.target

[Service]
Type=exec
${isSystem ? `${owner}\n` : ''}StateDirectory=${name}
StateDirectoryMode=0700
${isSystem ? `ConfigurationDirectory=${name}\n` : ''}EnvironmentFile=-${environmentFile}
${isSystem ? `LoadCredential=master-key:/etc/${name}/master.key\n` : ''}ExecStart=${program} serve
ExecStartPost=${program} health --wait ${LONGEST_START_SECONDS}
ExecReload=/bin/kill -HUP $MAINPID
KillSignal=SIGTERM
TimeoutStartSec=${LONGEST_START_SECONDS + 20}
TimeoutStopSec=35
Restart=on-failure
RestartPreventExitStatus=2 78
${isSystem ? SANDBOX : USER_SANDBOX}

[Install]
WantedBy=${isSystem ? 'multi-user' : 'default'}.target
`;
}

/** The socket unit: while the service restarts, systemd keeps new connections waiting. */
export function socketUnit({ name, listen }: UnitFacts): string {
  return `${MARK}
[Unit]
Description=Sockets of ${name}

[Socket]
${listen.map((address) => `ListenStream=${streamOf(address)}`).join('\n')}
Backlog=4096
NoDelay=yes

[Install]
WantedBy=sockets.target
`;
}

/** As systemd writes an address: a port alone is all interfaces. */
function streamOf(address: ListenAddress): string {
  if (address.kind === 'unix') return address.path;
  if (address.kind === 'fd') return String(address.fd);
  const { host, port } = address;
  if (host === null) return String(port);
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** systemd splits at spaces, and reads percent signs and dollars. */
const unitWord = (word: string): string => {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /[\s"'\\]/.test(plain) ? `"${plain.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : plain;
};
