// What commands are declared with: the forms of shape.ts for the handle that this frame gives to an action.
import type { Cli } from './context.ts';
import type * as shape from './shape.ts';

export type { ConfirmLevel, ExitCode, GroupSpec, RunMark } from './shape.ts';

export type Completer = shape.Completer<Cli>;
export type ArgSpec = shape.ArgSpec<Cli>;
export type OptionSpec = shape.OptionSpec<Cli>;
export type Action = shape.Action<Cli>;
export type CommandSpec = shape.CommandSpec<Cli>;
