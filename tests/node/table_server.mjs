// A server on the TypeScript SDK that asks before it books, on stdio, in both eras.
import { McpServer, acceptedContent, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const Guests = z.object({ guests: z.number().int().min(1).max(12) });

const reply = (text, booked) => ({
  content: [{ type: 'text', text }],
  structuredContent: { booked },
});

serveStdio(() => {
  const server = new McpServer({ name: 'table', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.registerTool(
    'book',
    { description: 'Book a table.', outputSchema: z.object({ booked: z.boolean() }) },
    async (ctx) => {
      const response = inputResponse(ctx.mcpReq.inputResponses, 'guests');
      if (response.kind === 'missing') {
        return inputRequired({
          inputRequests: {
            guests: inputRequired.elicit({
              message: 'For how many guests?',
              requestedSchema: Guests,
            }),
          },
        });
      }
      const answer = acceptedContent(ctx.mcpReq.inputResponses, 'guests', Guests);
      return answer === undefined
        ? reply('No table was booked.', false)
        : reply(`Booked for ${answer.guests}.`, true);
    },
  );
  return server;
});
