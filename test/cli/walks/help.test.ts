// Who knows nothing but the name of the program finds the way.
import { testWalk } from '../../support/walk.ts';

testWalk('help', {
  steps: () => ['appctl', 'appctl keys', 'appctl license mint --help'],
});
