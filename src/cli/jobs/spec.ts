import type { CommandSpec, GroupSpec } from '../frame/spec.ts';
import { jobCommands } from './spec-jobs.ts';
import { taskCommands } from './spec-tasks.ts';

const jobsGroup: GroupSpec = { path: 'jobs', summary: 'show, run and schedule recurring work' };

export const groups: readonly GroupSpec[] = [jobsGroup];

export const commands: readonly CommandSpec[] = [...jobCommands, ...taskCommands];
