// Receives alerts (docs/alerts.md): checks the signature, and answers before it does anything else. SECRET is the endpoint's
// (`whsec_…`), PORT where it listens; before it has to stand something that speaks https at port 443. `npm install standardwebhooks` first.
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const { SECRET, PORT = '8080' } = process.env;
const webhook = new Webhook(SECRET);
/** Ids of what has come: a message may come twice. */
const known = new Set();

async function receive(request, response) {
  let body = '';
  for await (const piece of request) body += piece;
  let message;
  try {
    message = webhook.verify(body, request.headers);
  } catch (error) {
    console.log(`refused: ${error.message}`);
    response.writeHead(401).end();
    return;
  }
  response.writeHead(204).end();
  const id = request.headers['webhook-id'];
  if (known.has(id)) return;
  known.add(id);
  const { type, data } = message;
  console.log(type === 'fill' ? `${data.side} ${data.size} ${data.coin} at ${data.price}` : `${type} ${JSON.stringify(data)}`);
}

const server = createServer((request, response) => {
  // A sender that goes away in the middle tries again.
  receive(request, response).catch(() => response.destroy());
});
server.listen(Number(PORT), () => console.log(`listens at ${server.address().port}`));
