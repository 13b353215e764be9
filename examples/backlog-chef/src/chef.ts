/** `npm run chef -- rag index`: a command line that has others, with the document's `rag` commands mounted (section 8.2). */
import { program } from 'commander';
import { ragCommands } from 'ragstone/backlog';

program.name('backlog-chef').description('From meeting notes to a backlog.');
program
  .command('rag')
  .description('RAG system management')
  .addCommand(ragCommands.index)
  .addCommand(ragCommands.search)
  .addCommand(ragCommands.status)
  .addCommand(ragCommands.clear)
  .addCommand(ragCommands.rollout)
  .addCommand(ragCommands.config);
await program.parseAsync();
