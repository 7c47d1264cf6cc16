// A server that speaks MongoDB's wire protocol, for machines where no mongod can be had: mongo-java-server behind a
// command line. Compiled and run by standIn.mjs:
// `java -cp 'JARS/*:CLASSES' MongoServer --port 27017 (--dir DIR | --memory) [--login FILE]`. FILE has a user's name and password, a line each.
// It prints `ready` when it accepts connections; SIGTERM closes the store. Killed, it forgets at most the writes of
// about the last COMMIT_EVERY_MS, in the order in which they came and none by half, and no write that asked for the
// journal (`j: true`): its answer waits for the file.

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.h2.H2Collection;
import de.bwaldvogel.mongo.backend.h2.H2Database;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import de.bwaldvogel.mongo.wire.message.MongoQuery;
import io.netty.channel.Channel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ObjectDataType;

public class MongoServer {
  /** The official driver asks for wire version 9 at least; 13 belongs to MongoDB 5.0. */
  private static final MongoVersion VERSION =
      new MongoVersion() {
        @Override
        public List<Integer> getVersionArray() {
          return List.of(5, 0, 0);
        }

        @Override
        public int getWireVersion() {
          return 13;
        }
      };

  /** How long a write may wait in memory before it is in the file. */
  private static final int COMMIT_EVERY_MS = 200;

  /** How often the file is tidied, in commits, and the share of live data below which a part of it is rewritten. */
  private static final int COMPACT_EVERY_COMMITS = 50;
  private static final int COMPACT_FILL_PERCENT = 50;
  private static final int COMPACT_BYTES = 8 * 1024 * 1024;

  public static void main(String[] args) throws IOException {
    int port = 27017;
    String dir = null;
    boolean memory = false;
    Logins logins = null;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--port" -> port = Integer.parseInt(args[++i]);
        case "--dir" -> dir = args[++i];
        case "--memory" -> memory = true;
        case "--login" -> {
          List<String> lines = Files.readAllLines(Path.of(args[++i]));
          logins = new Logins(lines.get(0), lines.get(1));
        }
        default -> throw new IllegalArgumentException("unknown option " + args[i]);
      }
    }
    if (memory == (dir != null)) throw new IllegalArgumentException("give either --dir DIR or --memory");

    var backend = new Backend(memory ? new MVStore.Builder().open() : openDirectory(Path.of(dir)), logins);
    var server = new de.bwaldvogel.mongo.MongoServer(backend.version(VERSION));
    server.bind(new InetSocketAddress("127.0.0.1", port));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    System.out.println("ready");
  }

  private static MVStore openDirectory(Path dir) throws IOException {
    Files.createDirectories(dir);
    return new MVStore.Builder().fileName(dir.resolve("mongo.mv").toString()).autoCommitDisabled().open();
  }

  /**
   * Commits between requests only. The store's own commits may fall into the middle of one, and then a killed server comes
   * back with a document that is not in its index.
   */
  private static class Backend extends H2Backend {
    /**
     * What changes a document or the list of indexes where others read it. The library hands out its own documents, which it changes
     * in place: an answer read before such a change could be told with it, or with half of it.
     */
    private static final Set<String> CHANGES_IN_PLACE = Set.of("createIndexes", "update", "findAndModify");

    /** Held shared by requests, alone by a commit and by a request that changes in place. */
    private final ReadWriteLock requests = new ReentrantReadWriteLock();
    /** Null: every connection may do everything. */
    private final Logins logins;

    private int commits = 0;

    Backend(MVStore store, Logins logins) {
      super(store);
      this.logins = logins;
      var committer = Executors.newSingleThreadScheduledExecutor(this::daemon);
      committer.scheduleWithFixedDelay(this::commitBetweenRequests, COMMIT_EVERY_MS, COMMIT_EVERY_MS, TimeUnit.MILLISECONDS);
    }

    private Thread daemon(Runnable work) {
      Thread thread = new Thread(work, "commit");
      thread.setDaemon(true);
      return thread;
    }

    private void commitBetweenRequests() {
      MVStore store = getMvStore();
      requests.writeLock().lock();
      try {
        if (store.isClosed() || !store.hasUnsavedChanges()) return;
        store.commit();
        commits += 1;
        if (commits % COMPACT_EVERY_COMMITS == 0 && !isInMemory()) store.compact(COMPACT_FILL_PERCENT, COMPACT_BYTES);
      } catch (RuntimeException error) {
        // A store that cannot be written must not go on promising that it was.
        error.printStackTrace();
        Runtime.getRuntime().halt(1);
      } finally {
        requests.writeLock().unlock();
      }
    }

    @Override
    public Document handleCommand(Channel channel, String database, String command, Document query) {
      Document answer = logins == null ? null : logins.answerTo(channel, query);
      return answer == null ? super.handleCommand(channel, database, command, query) : answer;
    }

    @Override
    public Document handleMessage(MongoMessage message) {
      Document refused = logins == null ? null : logins.answerTo(message.getChannel(), message.getDocument());
      return refused == null ? answerTo(message) : refused;
    }

    /** The old protocol's questions are not used by drivers of today. */
    @Override
    public QueryResult handleQuery(MongoQuery query) {
      boolean isCommand = query.getCollectionName().startsWith("$cmd");
      if (logins != null && !isCommand) throw new UnsupportedOperationException("questions of the old protocol are not served");
      return super.handleQuery(query);
    }

    private Document answerTo(MongoMessage message) {
      Document answer;
      String command = message.getDocument().keySet().iterator().next();
      Lock lock = CHANGES_IN_PLACE.contains(command) ? requests.writeLock() : requests.readLock();
      lock.lock();
      try {
        answer = super.handleMessage(message).cloneDeeply();
      } finally {
        lock.unlock();
      }
      if (asksForJournal(message.getDocument())) commitBetweenRequests();
      return answer;
    }

    private static boolean asksForJournal(Document request) {
      return request.get("writeConcern") instanceof Document concern && Boolean.TRUE.equals(concern.get("j"));
    }

    @Override
    protected MongoDatabase openOrCreateDatabase(String name) {
      return new Database(name);
    }

    private class Database extends H2Database {
      Database(String name) {
        super(name, getMvStore(), getCursorRegistry());
      }

      /** The library writes a document twice for each change of it, to know the collection's size, which nobody asks for. */
      @Override
      protected MongoCollection<Object> openOrCreateCollection(String name, CollectionOptions options) {
        String full = getFullCollectionNamespace(name);
        MVMap<Object, Document> documents = getMvStore().openMap("databases." + full);
        return new H2Collection(this, name, options, documents, getMvStore().openMap("meta." + full), getCursorRegistry()) {
          @Override
          protected boolean tracksDataSize() {
            return false;
          }
        };
      }

      /** The index's map is opened here, in the order of its keys: the library finds it open. */
      @Override
      protected Index<Object> openOrCreateUniqueIndex(String collection, String name, List<IndexKey> keys, boolean sparse) {
        var map = new MVMap.Builder<Object, Object>().keyType(new KeyOrder());
        getMvStore().openMap(getFullCollectionNamespace(collection) + "._index_" + name, map);
        return new PrefixIndex(super.openOrCreateUniqueIndex(collection, name, keys, sparse), keys, sparse);
      }
    }
  }

  /**
   * The library's order of index keys: that of their serialized forms, which it makes anew for each comparison. Keys of one ASCII text
   * differ in its length, which comes first there, and then in the text. So an older store's index is read in its own order.
   */
  private static class KeyOrder extends ObjectDataType {
    @Override
    public int compare(Object a, Object b) {
      String text = asciiOf(a);
      String other = text == null ? null : asciiOf(b);
      if (other == null) return super.compare(a, b);
      return text.length() == other.length() ? Integer.signum(text.compareTo(other)) : Integer.compare(text.length(), other.length());
    }

    private static String asciiOf(Object key) {
      if (!(key instanceof KeyValue values) || values.size() != 1 || !(values.get(0) instanceof String text)) return null;
      if (text.length() > 0xffff) return null;
      for (int i = 0; i < text.length(); i++) if (text.charAt(i) == 0 || text.charAt(i) > 0x7f) return null;
      return text;
    }
  }

  /**
   * A unique index that also serves queries with further conditions, as MongoDB's do: the library's own reads the whole
   * collection for `{_id, seq: {$lt: 5}}`. The collection checks the other conditions on what the index finds.
   */
  private static class PrefixIndex extends Index<Object> {
    private final Index<Object> index;

    PrefixIndex(Index<Object> index, List<IndexKey> keys, boolean sparse) {
      super(index.getName(), keys, sparse);
      this.index = index;
    }

    @Override
    public boolean canHandle(Document query) {
      return query.keySet().containsAll(keySet()) && index.canHandle(own(query));
    }

    @Override
    public Iterable<Object> getPositions(Document query) {
      return index.getPositions(own(query));
    }

    private Document own(Document query) {
      Document own = new Document();
      for (String key : keys()) own.put(key, query.get(key));
      return own;
    }

    @Override
    public Object getPosition(Document document) {
      return index.getPosition(document);
    }

    @Override
    public void checkAdd(Document document, MongoCollection<Object> collection) {
      index.checkAdd(document, collection);
    }

    @Override
    public void add(Document document, Object position, MongoCollection<Object> collection) {
      index.add(document, position, collection);
    }

    @Override
    public Object remove(Document document) {
      return index.remove(document);
    }

    @Override
    public long getCount() {
      return index.getCount();
    }

    @Override
    public long getDataSize() {
      return index.getDataSize();
    }

    @Override
    public void checkUpdate(Document before, Document after, MongoCollection<Object> collection) {
      index.checkUpdate(before, after, collection);
    }

    @Override
    public void updateInPlace(Document before, Document after, Object position, MongoCollection<Object> collection) {
      index.updateInPlace(before, after, position, collection);
    }

    @Override
    public void drop() {
      index.drop();
    }

    @Override
    public boolean isUnique() {
      return index.isUnique();
    }
  }
}
