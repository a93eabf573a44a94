import { nodes } from '../packaging/nodes.ts';
import { prepared, testPage } from './run-page.ts';

testPage('update-the-application', {
  serve: [],
  after: prepared,
  around: { after: 'grep "the first build" editor.zip; rm editor.zip' },
  nodes,
});
