import { testPage } from './run-page.ts';

testPage('explain-a-refusal');
