import type { CommandSpec } from '../frame/spec.ts';

/** How the running server of a data directory is replaced. */
export const restart: CommandSpec = {
  path: 'restart',
  summary: 'replace the running server without refusing a request',
  description:
    'The running server starts its successor on the same sockets. When the successor is healthy, the old server finishes its requests and exits. If the new one does not start, the old one goes on. Where systemd runs the server, the command runs systemctl restart.',
  options: [],
  runs: ['S'],
  examples: ['appctl restart', 'appctl restart --json | jq .pid'],
  exits: [5, 9],
  output: () => import('./schemas.ts').then((schemas) => schemas.RestartOutput),
  load: () => import('./restart.ts').then((actions) => actions.restart),
};

/** How it is emptied. */
export const drain: CommandSpec = {
  path: 'drain',
  summary: 'take the running server out of a load balancer',
  description:
    'GET /api/ready answers 503 from now on, and the server begins no jobs or deliveries. It still answers every request. Stop the server when the load balancer sends no more, or undo it with --off. A restart undoes it too.',
  options: [{ name: 'off', summary: 'take new work again' }],
  runs: ['S'],
  examples: ['appctl drain', 'appctl drain --off'],
  exits: [9],
  output: () => import('./schemas.ts').then((schemas) => schemas.DrainOutput),
  load: () => import('./restart.ts').then((actions) => actions.drain),
};
